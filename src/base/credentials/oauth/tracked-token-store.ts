import * as Effect from "effect/Effect";
import type { CredentialsError } from "../../../types/errors.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import { fromValueOrAsync } from "../secrets/value-or-async.ts";
import { tokenStoreError } from "./credential-errors.ts";
import type { CredentialUse } from "./credential-use.ts";
import { isFresh, isStoredToken, type StoredToken, type TokenStore } from "./token-store.ts";

/** State of one owner in this process. */
interface TokenState {
  /** Granted but not stored yet. */
  unsaved?: StoredToken | undefined;
  refused?: { readonly token: string; readonly at: number };
  /** An early refresh failed; the old token is used until this time. */
  waitUntil?: number;
}

export interface TrackedTokenStore {
  readonly read: (owner: CredentialUse) => Effect.Effect<StoredToken | undefined, CredentialsError>;
  readonly save: (owner: CredentialUse, token: StoredToken) => Effect.Effect<StoredToken, CredentialsError>;
  readonly remove: (owner: CredentialUse) => Effect.Effect<void>;
  /** Prevents a concurrent refresh by other processes that share the store. */
  readonly holding: <A>(
    owner: CredentialUse,
    work: Effect.Effect<A, CredentialsError>,
  ) => Effect.Effect<A, CredentialsError>;
  readonly memoryOf: (key: string) => TokenState;
  readonly isUsable: (key: string, token: StoredToken | undefined, now: number) => token is StoredToken;
}

const maxTokenStates = 10_000;

/** Every token that is read becomes known to the redactor. */
export const trackedTokenStore = (store: TokenStore, known: KnownSecrets): TrackedTokenStore => {
  const memories = new Map<string, TokenState>();

  const memoryOf = (key: string): TokenState => {
    const found = memories.get(key);
    if (found !== undefined) return found;
    if (memories.size >= maxTokenStates) {
      for (const [other, { unsaved }] of memories) if (unsaved === undefined) memories.delete(other);
    }
    const made: TokenState = {};
    memories.set(key, made);
    return made;
  };

  const learn = (found: unknown, name: string): Effect.Effect<StoredToken | undefined, CredentialsError> => {
    if (found === undefined || found === null) return Effect.succeed(undefined);
    if (!isStoredToken(found)) return Effect.fail(tokenStoreError(name, "read", undefined));
    known.add(found.accessToken);
    if (found.refreshToken !== undefined) known.add(found.refreshToken);
    return Effect.succeed(found);
  };

  return {
    memoryOf,
    read: ({ key, name }) =>
      Effect.matchEffect(
        fromValueOrAsync(() => store.get(key)),
        {
          onFailure: (error) => Effect.fail(tokenStoreError(name, "read", error)),
          onSuccess: (found) => learn(found, name),
        },
      ),
    save: ({ key, name }, token) =>
      Effect.suspend(() => {
        memoryOf(key).unsaved = token;
        return Effect.matchEffect(
          fromValueOrAsync(() => store.set(key, token)),
          {
            onFailure: (error) => Effect.fail(tokenStoreError(name, "written", error)),
            onSuccess: () => {
              Object.assign(memoryOf(key), { unsaved: undefined, waitUntil: 0 });
              return Effect.succeed(token);
            },
          },
        );
      }),
    remove: ({ key }) => Effect.ignore(fromValueOrAsync(() => store.delete(key))),
    holding: ({ key, name }, work) => {
      const { hold } = store;
      if (hold === undefined) return work;
      return Effect.acquireUseRelease(
        Effect.mapError(
          fromValueOrAsync(() => hold(key)),
          (error) => tokenStoreError(name, "written", error),
        ),
        () => work,
        (release) => Effect.ignore(fromValueOrAsync(release)),
      );
    },
    isUsable: (key, token, now): token is StoredToken => {
      const { refused, waitUntil = 0, unsaved } = memories.get(key) ?? {};
      if (token === undefined || unsaved !== undefined || token.accessToken === refused?.token) return false;
      return isFresh(token, now) || (now < waitUntil && now < (token.expiresAt ?? 0));
    },
  };
};
