import { exportJWK, generateKeyPair, type JSONWebKeySet, type JWK, type JWTPayload, SignJWT } from "jose";
import type { JwtAuth } from "../../src/server/http/auth/host-auth.ts";

export const issuer = "https://login.example.com";
export const audience = "https://mcp.example.com/mcp";

export interface TokenSigner {
  readonly kid: string;
  readonly jwk: JWK;
  /** An access token that is valid for one minute unless a claim says otherwise. */
  readonly sign: (claims?: JWTPayload, header?: Readonly<Record<string, unknown>>) => Promise<string>;
}

export const createTokenSigner = async (kid = "one", alg = "ES256"): Promise<TokenSigner> => {
  const { privateKey, publicKey } = await generateKeyPair(alg, { extractable: true });
  const jwk = { ...(await exportJWK(publicKey)), kid, alg };
  return {
    kid,
    jwk,
    sign: (claims = {}, header = {}) => {
      const now = Math.floor(Date.now() / 1000);
      const payload = {
        iss: issuer,
        aud: audience,
        sub: "ada",
        client_id: "editor",
        exp: now + 60,
        ...claims,
      };
      return new SignJWT(payload).setProtectedHeader({ alg, kid, ...header }).sign(privateKey);
    },
  };
};

export const toKeySet = (...signers: readonly TokenSigner[]): JSONWebKeySet => ({
  keys: signers.map(({ jwk }) => jwk),
});

export const jwtAuthOf = (jwks: JwtAuth["jwks"], more: Partial<JwtAuth> = {}): JwtAuth => ({
  kind: "jwt",
  issuer,
  audience,
  jwks,
  scopes: { "mail.read": ["mail/get_*", "mail/list"], admin: ["**"] },
  ...more,
});
