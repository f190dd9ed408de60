import * as Effect from "effect/Effect";
import type { KnownSecrets } from "../../../../base/credentials/known-secrets.ts";
import { isStoredToken, type TokenStore } from "../../../../base/credentials/oauth/token-store.ts";
import { fromValueOrAsync, type ValueOrAsync } from "../../../../base/credentials/secrets/value-or-async.ts";
import { authUnavailableError, mcpTokenStoreError } from "../auth-errors.ts";
import { readTokenBundle, type TokenBundle } from "./token-bundle.ts";

export interface TokenOwner {
  readonly key: string;
  readonly id: string;
}

export interface TokenBundleStore {
  readonly read: (owner: TokenOwner) => Promise<TokenBundle>;
  readonly write: (owner: TokenOwner, bundle: TokenBundle) => Promise<void>;
  readonly remove: (owner: TokenOwner) => Promise<void>;
  /** Runs work under the store's lock, if it has one. */
  readonly withLock: <A>(owner: TokenOwner, work: () => Promise<A>) => Promise<A>;
}

const emptyBundle: TokenBundle = Object.freeze({ version: 1 });
/** Below the size limit of secret files, where the bundle is JSON-escaped once more. */
const maxBundleLength = 40_000;

const runStoreCall = <A>(ask: () => ValueOrAsync<A>): Promise<A> => Effect.runPromise(fromValueOrAsync(ask));

/** A bundle is stored as the text of one token, so that any `TokenStore` can hold it. */
export const createTokenBundleStore = (
  store: TokenStore,
  now: () => number,
  knownSecrets?: Pick<KnownSecrets, "add">,
): TokenBundleStore => {
  const addKnownSecrets = ({ tokens, client, waiting }: TokenBundle): void => {
    const secrets = [
      tokens?.access_token,
      tokens?.refresh_token,
      client?.client_secret,
      waiting?.verifier,
      waiting?.client.client_secret,
    ];
    for (const secret of secrets) if (secret !== undefined) knownSecrets?.add(secret);
  };

  return {
    read: async ({ key, id }) => {
      const found = await runStoreCall(() => store.get(key)).catch((error) => {
        throw mcpTokenStoreError(id, "read", error);
      });
      if (found === undefined || found === null) return emptyBundle;
      const bundle = isStoredToken(found) ? readTokenBundle(found.accessToken) : undefined;
      if (bundle === undefined) throw mcpTokenStoreError(id, "read", undefined);
      addKnownSecrets(bundle);
      return bundle;
    },
    write: async ({ key, id }, bundle) => {
      addKnownSecrets(bundle);
      const accessToken = JSON.stringify(bundle);
      if (accessToken.length > maxBundleLength)
        throw authUnavailableError(
          id,
          `issued tokens longer than ${maxBundleLength} characters, which cannot be stored`,
        );
      await runStoreCall(() => store.set(key, { accessToken, issuedAt: now() })).catch((error) => {
        throw mcpTokenStoreError(id, "written", error);
      });
    },
    remove: async ({ key, id }) => {
      await runStoreCall(() => store.delete(key)).catch((error) => {
        throw mcpTokenStoreError(id, "written", error);
      });
    },
    withLock: async ({ key, id }, work) => {
      const { hold } = store;
      if (hold === undefined) return work();
      const release = await runStoreCall(() => hold(key)).catch((error) => {
        throw mcpTokenStoreError(id, "written", error);
      });
      try {
        return await work();
      } finally {
        await runStoreCall(() => release()).catch(() => {});
      }
    },
  };
};
