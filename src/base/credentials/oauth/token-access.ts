import * as Effect from "effect/Effect";
import type { CredentialsError } from "../../../types/errors.ts";
import type { KnownSecrets } from "../credentials.ts";
import { fromValueOrAsync, type ValueOrAsync } from "../secret-source.ts";
import { tokenStoreError } from "./credential-errors.ts";
import { isStoredToken, type StoredToken, type TokenStore } from "./token-store.ts";

export interface TokenOwner {
  readonly key: string;
  /** What error messages call the tokens' service. */
  readonly label: string;
}

/** How a value is stored as one token, so that any `TokenStore` can hold it. */
export interface TokenFormat<A> {
  /** Returns undefined for content of another format. */
  readonly read: (stored: StoredToken) => A | undefined;
  readonly write: (value: A) => StoredToken;
  readonly secretsOf: (value: A) => readonly (string | undefined)[];
}

export interface TokenAccess<A> {
  readonly read: (owner: TokenOwner) => Effect.Effect<A | undefined, CredentialsError>;
  readonly write: (owner: TokenOwner, value: A) => Effect.Effect<void, CredentialsError>;
  readonly remove: (owner: TokenOwner) => Effect.Effect<void, CredentialsError>;
  /** Prevents a concurrent refresh by other processes that share the store. */
  readonly holding: <B, E>(
    owner: TokenOwner,
    work: Effect.Effect<B, E>,
  ) => Effect.Effect<B, E | CredentialsError>;
}

/** Every token that is read or written becomes known to the redactor. */
export const tokenAccess = <A>(
  store: TokenStore,
  known: Pick<KnownSecrets, "add">,
  format: TokenFormat<A>,
): TokenAccess<A> => {
  const learn = (value: A): void => {
    for (const secret of format.secretsOf(value)) if (secret !== undefined) known.add(secret);
  };

  const request = <B>({ label }: TokenOwner, what: "read" | "written", ask: () => ValueOrAsync<B>) =>
    Effect.mapError(fromValueOrAsync(ask), (error) => tokenStoreError(label, what, error));

  return {
    read: (owner) =>
      Effect.flatMap(
        request(owner, "read", () => store.get(owner.key)),
        (found) => {
          if (found === undefined || found === null) return Effect.succeed(undefined);
          const value = isStoredToken(found) ? format.read(found) : undefined;
          if (value === undefined) return Effect.fail(tokenStoreError(owner.label, "read", undefined));
          learn(value);
          return Effect.succeed(value);
        },
      ),
    write: (owner, value) =>
      request(owner, "written", () => {
        learn(value);
        return store.set(owner.key, format.write(value));
      }),
    remove: (owner) => request(owner, "written", () => store.delete(owner.key)),
    holding: (owner, work) => {
      const { hold } = store;
      if (hold === undefined) return work;
      return Effect.acquireUseRelease(
        request(owner, "written", () => hold(owner.key)),
        () => work,
        (release) => Effect.ignore(fromValueOrAsync(release)),
      );
    },
  };
};
