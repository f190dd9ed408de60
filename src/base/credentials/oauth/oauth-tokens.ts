import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { CredentialsError } from "../../../types/errors.ts";
import type { Principal } from "../../../types/principal.ts";
import type { HttpEgressClient } from "../../http/http-egress.ts";
import type { KnownSecrets } from "../credentials.ts";
import { keyedTasks } from "../keyed-tasks.ts";
import type { SecretResolver } from "../secrets/secret-resolver.ts";
import {
  codeRejectedError,
  signInRequiredError,
  tokenRejectedAgainError,
  tokenServiceOf,
  unnamedSecretError,
} from "./credential-errors.ts";
import { endpointResolver } from "./endpoint-resolver.ts";
import type { OAuthCredential } from "./oauth-credential.ts";
import { type TokenFormat, type TokenOwner, tokenAccess } from "./token-access.ts";
import { requestToken, type TokenGrant, type TokenRefusal, tokenRefusedError } from "./token-request.ts";
import { isFresh, type StoredToken, type TokenStore } from "./token-store.ts";

export interface CredentialUse extends TokenOwner {
  readonly name: string;
  readonly credential: OAuthCredential;
  readonly principal: Principal;
  readonly client: HttpEgressClient;
}

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

/** State of one owner in this process. */
interface TokenState {
  /** Granted but not stored yet. */
  unsaved?: StoredToken | undefined;
  refused?: { readonly token: string; readonly at: number };
  /** An early refresh failed; the old token is used until this time. */
  waitUntil?: number;
}

const earlyRefreshRetryMs = 10_000;
const maxTokenStates = 10_000;

const storedTokenFormat: TokenFormat<StoredToken> = {
  read: (stored) => stored,
  write: (token) => token,
  secretsOf: ({ accessToken, refreshToken }) => [accessToken, refreshToken],
};

/**
 * Refreshes once at a time per caller, and stores a token before it is returned, because a refresh token may
 * be valid only once.
 */
export const oauthTokens = ({ store, secret, known }: OAuthTokensOptions): OAuthTokens => {
  const endpoints = endpointResolver();
  const renewals = keyedTasks<StoredToken, CredentialsError>();
  const { read, write, remove, holding } = tokenAccess(store, known, storedTokenFormat);
  const states = new Map<string, TokenState>();

  const memoryOf = (key: string): TokenState => {
    const found = states.get(key);
    if (found !== undefined) return found;
    if (states.size >= maxTokenStates) {
      for (const [other, { unsaved }] of states) if (unsaved === undefined) states.delete(other);
    }
    const made: TokenState = {};
    states.set(key, made);
    return made;
  };

  const isUsable = (key: string, token: StoredToken | undefined, now: number): token is StoredToken => {
    const { refused, waitUntil = 0, unsaved } = states.get(key) ?? {};
    if (token === undefined || unsaved !== undefined || token.accessToken === refused?.token) return false;
    return isFresh(token, now) || (now < waitUntil && now < (token.expiresAt ?? 0));
  };

  const requestTokens = Effect.fnUntraced(function* (owner: CredentialUse, form: TokenForm, now: number) {
    const { name, credential, client } = owner;
    const { clientId, clientSecret, clientAuth = "basic", resource = [], audience } = credential;
    const { tokenUrl } = yield* endpoints(name, credential, client);
    const fields = new URLSearchParams(form);
    for (const one of [resource].flat()) fields.append("resource", one);
    if (audience !== undefined) fields.set("audience", audience);
    const revealed = clientSecret === undefined ? undefined : Redacted.value(yield* secret(clientSecret));
    const authentication = { clientId, clientSecret: revealed, method: clientAuth };
    return yield* requestToken(
      { service: tokenServiceOf(name), tokenUrl, form: fields, authentication },
      { client, known, now },
    );
  });

  const save = (owner: CredentialUse, token: StoredToken): Effect.Effect<StoredToken, CredentialsError> =>
    Effect.suspend(() => {
      memoryOf(owner.key).unsaved = token;
      return Effect.map(write(owner, token), () => {
        Object.assign(memoryOf(owner.key), { unsaved: undefined, waitUntil: 0 });
        return token;
      });
    });

  const storeTokens = (owner: CredentialUse, granted: TokenGrant, previous?: string) => {
    const { accessToken, refreshToken = previous, issuedAt, expiresAt } = granted;
    const token: StoredToken = {
      accessToken,
      issuedAt,
      ...(refreshToken === undefined ? {} : { refreshToken }),
      ...(expiresAt === undefined ? {} : { expiresAt }),
    };
    return save(owner, token);
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
    if (found?.refreshToken === used) yield* Effect.ignore(remove(owner));
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
    const form = { grant_type: "refresh_token", refresh_token: refreshToken };
    return yield* onRefusal(
      Effect.flatMap(requestTokens(owner, form, now), (granted) => storeTokens(owner, granted, refreshToken)),
      owner,
      () => afterRefusal(owner, refreshToken, now),
    );
  });

  const asked = (owner: CredentialUse, now: number) => {
    const { scopes = [] } = owner.credential;
    const form = {
      grant_type: "client_credentials",
      ...(scopes.length === 0 ? {} : { scope: scopes.join(" ") }),
    };
    return onRefusal(
      Effect.flatMap(requestTokens(owner, form, now), (granted) => storeTokens(owner, granted)),
      owner,
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
      const granted = yield* onRefusal(requestTokens(owner, form, now), owner, () =>
        Effect.fail(codeRejectedError(owner.name)),
      );
      return yield* storeTokens(owner, granted);
    });
    return renewals.alone(owner.key, holding(owner, exchanged));
  };

  return { endpoints, get, renew, exchange };
};

const onRefusal = <A, B = never>(
  work: Effect.Effect<A, CredentialsError | TokenRefusal>,
  { name }: CredentialUse,
  onInvalidGrant?: () => Effect.Effect<B, CredentialsError>,
): Effect.Effect<A | B, CredentialsError> =>
  Effect.catchTag(work, "TokenRefusal", (refusal) =>
    refusal.code === "invalid_grant" && onInvalidGrant !== undefined
      ? onInvalidGrant()
      : Effect.fail(tokenRefusedError(tokenServiceOf(name), refusal)),
  );
