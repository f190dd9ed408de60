import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import * as Scope from "effect/Scope";
import {
  createLocalJWKSet,
  createRemoteJWKSet,
  customFetch,
  type FetchImplementation,
  type JSONWebKeySet,
  type JWTVerifyGetKey,
} from "jose";
import { refuseEndpoint } from "../../credentials/oauth/endpoint.ts";
import { outside } from "../../http/client.ts";
import type { OutsideClient } from "../../http/outside.ts";
import { ConfigurationError } from "../../words/errors.ts";
import type { JwtAuth } from "./host-auth.ts";

/** The keys could not be had, which says nothing of the token. */
export class KeysUnavailable extends Error {}

export interface Keys {
  readonly find: JWTVerifyGetKey;
  readonly close: () => Promise<void>;
}

const refuse = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `/auth/jwks ${what}`);

const localKeys = (set: JSONWebKeySet): Keys => {
  if (!Array.isArray(set.keys) || set.keys.length === 0)
    throw refuse('must be { "keys": [...] } with a key.');
  for (const key of set.keys) {
    if (key.kty === "oct") throw refuse("has a symmetric key: whoever checks with it could sign with it.");
    if ("d" in key) throw refuse("has a private key; give only the public part.");
  }
  return { find: createLocalJWKSet(set), close: async () => {} };
};

const limits = { timeoutMs: 5_000, maxBytes: 256 * 1024, redirects: 0 };
const restMs = 5_000;

/** A key server that does not answer is left alone for a while, however many tokens ask for it meanwhile. */
const guardedFetch = (client: OutsideClient, now: () => number): FetchImplementation => {
  let restUntil = Number.NEGATIVE_INFINITY;
  return async (url, { signal }) => {
    if (now() < restUntil) throw new KeysUnavailable("the key server did not answer a moment ago");
    const asked = client.request({ url, headers: { accept: "application/json" }, ...limits });
    try {
      const { status, body } = await Effect.runPromise(asked, { signal });
      if (status !== 200) throw new Error(`the key server answered ${status}`);
      const text = new TextDecoder().decode(body);
      if (!Array.isArray(JSON.parse(text)?.keys)) throw new Error("the key server answered no key set");
      return new Response(text, { status });
    } catch (cause) {
      restUntil = now() + restMs;
      throw new KeysUnavailable("the key server gave no keys", { cause });
    }
  };
};

const remoteKeys = async (url: string, allow: readonly string[], now: () => number): Promise<Keys> => {
  const reason = refuseEndpoint(url);
  if (reason !== undefined) throw refuse(`${reason}; it is where the authorization server shows its keys.`);
  const scope = Scope.makeUnsafe();
  const client = await Effect.runPromise(Scope.provide(outside({ allow }), scope));
  return {
    find: createRemoteJWKSet(new URL(url), { [customFetch]: guardedFetch(client, now) }),
    close: () => Effect.runPromise(Scope.close(scope, Exit.void)),
  };
};

/**
 * The keys that sign tokens. Remote ones come through the guarded client, are kept for ten minutes, and
 * are asked for again when a token names a new one, but not more than twice a minute.
 */
export const openKeys = async ({ jwks, allow = [] }: JwtAuth, now: () => number): Promise<Keys> =>
  typeof jwks === "string" || jwks instanceof URL ? remoteKeys(String(jwks), allow, now) : localKeys(jwks);
