import {
  type AuthorizationServerMetadata,
  DpopSession,
  generateDpopKeyPair,
  type OAuthClientInformationMixed,
} from "@modelcontextprotocol/client";
import * as Effect from "effect/Effect";
import type { KnownSecrets } from "../../../base/credentials/credentials.ts";
import {
  type TokenFormat,
  type TokenOwner,
  tokenAccess,
} from "../../../base/credentials/oauth/token-access.ts";
import { isFresh, type TokenStore } from "../../../base/credentials/oauth/token-store.ts";
import { SecretError } from "../../../base/credentials/secret-source.ts";
import { isObject } from "../../../base/json/json-value.ts";
import { type AuthorizationServer, isSameIssuer } from "./authorization-server.ts";

export interface StoredTokens {
  readonly access_token: string;
  readonly token_type: string;
  readonly refresh_token?: string;
  readonly scope?: string;
  readonly issuedAt: number;
  readonly expiresAt?: number;
}

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

/** Holds everything that another process needs to finish the sign-in. */
export interface PendingSignIn {
  readonly state: string;
  readonly verifier: string;
  readonly url: string;
  readonly redirectUrl: string;
  readonly until: number;
  readonly server: AuthorizationServer;
  readonly client: OAuthClientInformationMixed;
  readonly asked?: string;
  readonly key?: DpopKey;
}

/** State of one caller at one MCP server. It is discarded when the server names another issuer. */
export interface TokenBundle {
  readonly version: 1;
  readonly server?: AuthorizationServer;
  readonly client?: OAuthClientInformationMixed;
  readonly tokens?: StoredTokens;
  /** Requested scopes, granted or not. */
  readonly asked?: string;
  readonly signedInAt?: number;
  readonly key?: DpopKey;
  readonly waiting?: PendingSignIn;
}

const isStoredServer = (value: unknown): boolean =>
  isObject(value) && typeof value.url === "string" && typeof value.issuer === "string";

const isStoredTokens = (value: unknown): boolean =>
  isObject(value) && typeof value.access_token === "string" && typeof value.issuedAt === "number";

const isPendingSignIn = (value: unknown): boolean =>
  isObject(value) &&
  ["state", "verifier", "url", "redirectUrl"].every((name) => typeof value[name] === "string") &&
  isStoredServer(value.server) &&
  isObject(value.client);

export const readTokenBundle = (text: string): TokenBundle | undefined => {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    return undefined;
  }
  if (!isObject(value) || value.version !== 1) return undefined;
  const { server, tokens, client, waiting } = value;
  const isWhole =
    (server === undefined || isStoredServer(server)) &&
    (tokens === undefined || (isStoredTokens(tokens) && isStoredServer(server))) &&
    (client === undefined || isObject(client)) &&
    (waiting === undefined || isPendingSignIn(waiting));
  return isWhole ? (value as unknown as TokenBundle) : undefined;
};

const keptMetadataFields = [
  "issuer",
  "authorization_endpoint",
  "token_endpoint",
  "response_types_supported",
  "code_challenge_methods_supported",
  "token_endpoint_auth_methods_supported",
  "authorization_response_iss_parameter_supported",
] as const;

/** Secret files have a size limit. */
export const trimServerMetadata = (server: AuthorizationServer): AuthorizationServer => {
  const { metadata, scopes: _, ...rest } = server;
  if (metadata === undefined) return rest;
  const fields = keptMetadataFields.flatMap((name) =>
    metadata[name] === undefined ? [] : [[name, metadata[name]]],
  );
  return { ...rest, metadata: Object.fromEntries(fields) as AuthorizationServerMetadata };
};

export const bundleAfterSignIn = (waiting: PendingSignIn, tokens: StoredTokens): TokenBundle => {
  const { server, client, asked, key } = waiting;
  return {
    version: 1,
    server,
    client,
    tokens,
    ...(asked === undefined ? {} : { asked }),
    signedInAt: tokens.issuedAt,
    ...(key === undefined ? {} : { key }),
  };
};

export const findUsableTokens = (
  { server, tokens }: TokenBundle,
  {
    issuer,
    refused: rejectedToken,
    now,
  }: { issuer: string | undefined; refused?: string | undefined; now: number },
): StoredTokens | undefined => {
  if (tokens === undefined || server === undefined || tokens.access_token === rejectedToken) return undefined;
  if (issuer !== undefined && !isSameIssuer(issuer, server.issuer)) return undefined;
  return isFresh({ accessToken: "", ...tokens }, now) ? tokens : undefined;
};

export type TokenBundleStore = ReturnType<typeof createTokenBundleStore>;

const emptyBundle: TokenBundle = Object.freeze({ version: 1 });
/** Below the size limit of secret files, where the bundle is JSON-escaped once more. */
const maxBundleLength = 40_000;

/** A bundle is stored as the text of one token. */
const bundleFormat = (now: () => number): TokenFormat<TokenBundle> => ({
  read: ({ accessToken }) => readTokenBundle(accessToken),
  write: (bundle) => {
    const accessToken = JSON.stringify(bundle);
    if (accessToken.length > maxBundleLength)
      throw new SecretError(`the tokens are longer than ${maxBundleLength} characters`);
    return { accessToken, issuedAt: now() };
  },
  secretsOf: ({ tokens, client, waiting }) => [
    tokens?.access_token,
    tokens?.refresh_token,
    client?.client_secret,
    waiting?.verifier,
    waiting?.client.client_secret,
  ],
});

export const createTokenBundleStore = (
  store: TokenStore,
  known: Pick<KnownSecrets, "add">,
  now: () => number,
) => {
  const { read, write, remove, holding } = tokenAccess(store, known, bundleFormat(now));
  return {
    read: async (owner: TokenOwner): Promise<TokenBundle> =>
      (await Effect.runPromise(read(owner))) ?? emptyBundle,
    write: (owner: TokenOwner, bundle: TokenBundle) => Effect.runPromise(write(owner, bundle)),
    remove: (owner: TokenOwner) => Effect.runPromise(remove(owner)),
    /** Runs work under the store's lock, if it has one. */
    withLock: <A>(owner: TokenOwner, work: () => Promise<A>): Promise<A> =>
      Effect.runPromise(holding(owner, Effect.tryPromise({ try: work, catch: (error) => error }))),
  };
};
