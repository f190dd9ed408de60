import { DpopSession, generateDpopKeyPair } from "@modelcontextprotocol/client";

export interface DpopKey {
  readonly kty: string;
  readonly crv: string;
  readonly x: string;
  readonly y: string;
  readonly d: string;
}

const dpopAlgorithm = { name: "ECDSA", namedCurve: "P-256" };

/** Extractable, because it is stored with its tokens. */
export const generateDpopKey = async (): Promise<DpopKey> => {
  const { privateKey } = await generateDpopKeyPair({ alg: "ES256", extractable: true });
  const { kty, crv, x, y, d } = await crypto.subtle.exportKey("jwk", privateKey);
  return { kty, crv, x, y, d } as DpopKey;
};

export const createDpopSession = async (key: DpopKey): Promise<DpopSession> => {
  const { kty, crv, x, y } = key;
  const publicJwk = { kty, crv, x, y };
  // RFC 7638: required members in lexicographic order.
  const digest = new TextEncoder().encode(JSON.stringify({ crv, kty, x, y }));
  const thumbprint = Buffer.from(await crypto.subtle.digest("SHA-256", digest)).toString("base64url");
  const keyPair = {
    privateKey: await crypto.subtle.importKey("jwk", key, dpopAlgorithm, false, ["sign"]),
    publicKey: await crypto.subtle.importKey("jwk", publicJwk, dpopAlgorithm, true, ["verify"]),
    publicJwk,
    thumbprint,
    alg: "ES256" as const,
  };
  return DpopSession.create({ keyPair });
};
