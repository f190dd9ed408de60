import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { CredentialsError } from "../../../types/errors.ts";
import { keyedTasks } from "../keyed-tasks.ts";
import type { KnownSecrets } from "../known-secrets.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import {
  codeRejectedError,
  rejectedByServiceError,
  signInRequiredError,
  tokenRejectedAgainError,
  unnamedSecretError,
} from "./credential-errors.ts";
import type { CredentialUse } from "./credential-use.ts";
import { endpointResolver } from "./endpoint-resolver.ts";
import { invalidGrant, requestToken, type TokenGrant } from "./token-request.ts";
import type { StoredToken, TokenStore } from "./token-store.ts";
import { trackedTokenStore } from "./tracked-token-store.ts";

type TokenForm = Readonly<Record<string, string>>;

interface OAuthTokensOptions {
  readonly store: TokenStore;
  readonly secret: SecretResolver;
  readonly known: KnownSecrets;
}

export interface OAuthTokens {
  readonly get: (owner: CredentialUse) => Effect.Effect<StoredToken, CredentialsError>;
  readonly renew: (owner: CredentialUse, refused: string) => Effect.Effect<StoredToken, CredentialsError>;
  readonly exchange: (owner: CredentialUse, form: TokenForm) => Effect.Effect<StoredToken, CredentialsError>;
  readonly endpoints: ReturnType<typeof endpointResolver>;
}

const earlyRefreshRetryMs = 10_000;

/**
 * Refreshes once at a time per caller, and stores a token before it is returned, because a refresh token may
 * be valid only once.
 */
export const oauthTokens = ({ store, secret, known }: OAuthTokensOptions): OAuthTokens => {
  const endpoints = endpointResolver();
  const renewals = keyedTasks<StoredToken, CredentialsError>();
  const { read, save, remove, holding, memoryOf, isUsable } = trackedTokenStore(store, known);

  const requestTokens = Effect.fnUntraced(function* (owner: CredentialUse, form: TokenForm) {
    const { name, credential, client } = owner;
    const { tokenUrl } = yield* endpoints(name, credential, client);
    return yield* requestToken({ name, credential, tokenUrl, form }, { client, secret, known });
  });

  /** The lifetime counts from before the request, because the service does not say when it begins. */
  const storeTokens = (owner: CredentialUse, granted: TokenGrant, issuedAt: number, previous?: string) => {
    const refreshToken = granted.refreshToken ?? previous;
    return save(owner, {
      accessToken: granted.accessToken,
      issuedAt,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(granted.lifeMs === undefined ? {} : { expiresAt: issuedAt + granted.lifeMs }),
    });
  };

  const firstRefreshToken = Effect.fnUntraced(function* ({ name, credential, principal }: CredentialUse) {
    if (credential.grant !== "refresh_token") return undefined;
    const secretName = yield* Effect.try({
      try: () => credential.refreshToken(principal),
      catch: () => unnamedSecretError(name),
    });
    return Redacted.value(yield* secret(secretName));
  });

  /** Another process that shares the store may have refreshed the token. */
  const afterRefusal = Effect.fnUntraced(function* (owner: CredentialUse, used: string, now: number) {
    const found = yield* read(owner);
    if (found?.refreshToken !== used && isUsable(owner.key, found, now)) return found;
    if (found?.refreshToken === used) yield* remove(owner);
    return yield* Effect.fail(
      signInRequiredError(owner.name, owner.credential, "The authorization of this caller has ended"),
    );
  });

  const refreshed = Effect.fnUntraced(function* (
    owner: CredentialUse,
    stored: StoredToken | undefined,
    now: number,
  ) {
    const refreshToken = stored?.refreshToken ?? (yield* firstRefreshToken(owner));
    if (refreshToken === undefined) {
      const why = stored === undefined ? "This caller has no token" : "The token of this caller has expired";
      return yield* Effect.fail(signInRequiredError(owner.name, owner.credential, why));
    }
    const requested = requestTokens(owner, { grant_type: "refresh_token", refresh_token: refreshToken });
    return yield* onInvalidGrant(
      Effect.flatMap(requested, (granted) => storeTokens(owner, granted, now, refreshToken)),
      () => afterRefusal(owner, refreshToken, now),
    );
  });

  const asked = (owner: CredentialUse, now: number) => {
    const { name, credential } = owner;
    const { scopes = [] } = credential;
    const form = {
      grant_type: "client_credentials",
      ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    };
    return onInvalidGrant(
      Effect.flatMap(requestTokens(owner, form), (granted) => storeTokens(owner, granted, now)),
      () => Effect.fail(rejectedByServiceError(name, "answered with the error invalid_grant")),
    );
  };

  const renewal = Effect.fnUntraced(function* (owner: CredentialUse) {
    const { key, credential } = owner;
    const { unsaved } = memoryOf(key);
    if (unsaved !== undefined) yield* save(owner, unsaved);
    const stored = yield* read(owner);
    const now = yield* Clock.currentTimeMillis;
    if (isUsable(key, stored, now)) return stored;
    const isOwn = credential.grant === "client_credentials";
    return yield* Effect.catch(isOwn ? asked(owner, now) : refreshed(owner, stored, now), (error) => {
      if (error.retryable) memoryOf(key).waitUntil = now + earlyRefreshRetryMs;
      return isUsable(key, stored, now) ? Effect.succeed(stored) : Effect.fail(error);
    });
  });

  const get: OAuthTokens["get"] = Effect.fnUntraced(function* (owner) {
    const { key } = owner;
    for (let round = 0; ; round++) {
      if (!renewals.isUnderWay(key)) {
        const stored = yield* read(owner);
        if (isUsable(key, stored, yield* Clock.currentTimeMillis)) return stored;
      }
      const token = yield* renewals.join(key, holding(owner, renewal(owner)));
      // A refresh that began before the refusal can return the refused token.
      if (token.accessToken !== memoryOf(key).refused?.token || round > 0) return token;
    }
  });

  const renew: OAuthTokens["renew"] = Effect.fnUntraced(function* (owner, refused) {
    const stored = yield* read(owner);
    const at = yield* Clock.currentTimeMillis;
    const memory = memoryOf(owner.key);
    const last = memory.refused;
    if (stored?.accessToken === refused && last?.token !== refused) {
      // Limits token requests if a service refuses every token.
      if (last !== undefined && at < last.at + earlyRefreshRetryMs)
        return yield* Effect.fail(tokenRejectedAgainError(owner.name));
      memory.refused = { token: refused, at };
    }
    return yield* get(owner);
  });

  const exchange: OAuthTokens["exchange"] = (owner, form) => {
    const exchanged = Effect.gen(function* () {
      const now = yield* Clock.currentTimeMillis;
      const granted = yield* onInvalidGrant(requestTokens(owner, form), () =>
        Effect.fail(codeRejectedError(owner.name)),
      );
      return yield* storeTokens(owner, granted, now);
    });
    return renewals.alone(owner.key, holding(owner, exchanged));
  };

  return { endpoints, get, renew, exchange };
};

const onInvalidGrant = <A, B>(
  work: Effect.Effect<A, CredentialsError | typeof invalidGrant>,
  instead: () => Effect.Effect<B, CredentialsError>,
): Effect.Effect<A | B, CredentialsError> =>
  Effect.catch(work, (error) => (error === invalidGrant ? instead() : Effect.fail(error)));
