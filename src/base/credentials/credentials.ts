import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { type ConfigurationError, CredentialsError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import type { HttpEgressClient } from "../http/http-egress.ts";
import type { OAuthCredential } from "./oauth/oauth-credential.ts";
import type { SignIn, SignInAnswer } from "./oauth/sign-in.ts";
import type { TokenStore } from "./oauth/token-store.ts";
import type { openCredentials } from "./open-credentials.ts";
import { openOnce } from "./open-once.ts";
import type { Secret, SecretSource, SecretSourceConfig } from "./secret-source.ts";
import type { OutboundToken } from "./token.ts";

/** Sources of secrets and settings of OAuth tokens. */
export type CredentialsOptions = SecretSource | CredentialSourceConfig;

/** Sources of secrets, with optional OAuth credentials. */
export interface CredentialSourceConfig extends SecretSourceConfig {
  /** OAuth credentials by the name that tools use. Unless set: no tokens. */
  readonly oauth?: Readonly<Record<string, OAuthCredential>>;
  /** Token storage: a store, or a directory for `fileTokenStore`. Unless set: in memory. */
  readonly tokens?: TokenStore | string;
}

/**
 * Named secrets, and OAuth tokens that belong to callers. A value travels only as `Redacted`, which prints
 * masked. Inside a call, tokens can be read only for the caller of that call.
 */
export interface CredentialStore {
  readonly secret: (name: string) => Effect.Effect<Redacted.Redacted<string>, CredentialsError>;
  /** Valid for a short time. Request it before every use, because it is renewed when it expires. */
  readonly token: (name: string, principal?: Principal) => Effect.Effect<OutboundToken, CredentialsError>;
  /** Returns another token after the service refused this one. */
  readonly renew: (
    name: string,
    refused: OutboundToken,
    principal?: Principal,
  ) => Effect.Effect<OutboundToken, CredentialsError>;
  /** Starts a sign-in. The user opens the URL, and its result goes to `finishSignIn` within 10 minutes. */
  readonly beginSignIn: (name: string, principal?: Principal) => Effect.Effect<SignIn, CredentialsError>;
  readonly finishSignIn: (answer: SignInAnswer) => Effect.Effect<void, CredentialsError>;
  /** Values in memory and values handed out. The redactor masks them. */
  readonly known: () => Iterable<string>;
  /** Adds a secret from another source to the values that are masked. */
  readonly learn: (secret: string) => void;
}

/** The service in which tools find secrets and tokens by name. */
export class Credentials extends Context.Service<Credentials, CredentialStore>()("haft/Credentials") {}

const valuesInMemory = (source: SecretSource | undefined): readonly Secret[] => {
  if (typeof source !== "object" || source === null) return [];
  const { values = {}, sources } = source as SecretSourceConfig;
  return Array.isArray(source)
    ? source.flatMap(valuesInMemory)
    : [...Object.values(values), ...valuesInMemory(sources)];
};

/** Haft's own secrets, which tools could print with the environment. */
const ownSecrets = (): readonly string[] => {
  const { HAFT_OPERATOR_SECRET: operator = "", HAFT_LEDGER_KEY: keys = "" } = process.env;
  return [operator, keys, ...keys.split(",").map((key) => key.trim())].filter((secret) => secret !== "");
};

/**
 * Creates a credential store. Its implementation loads on first use; `configured` values are masked from the
 * start.
 */
export const credentials = (
  options: CredentialsOptions,
  client?: HttpEgressClient,
  configured: readonly string[] = [],
): CredentialStore => {
  const texts = [...valuesInMemory(options), ...configured, ...ownSecrets()].map((secret) =>
    Redacted.isRedacted(secret) ? Redacted.value(secret) : secret,
  );
  const known = knownSecrets(texts.filter((text) => typeof text === "string"));
  const open = openOnce(() => Effect.runPromise(openOnFirstUse(options, { known, client })));
  const use = <A>(ask: (opened: Awaited<ReturnType<typeof open>>) => Effect.Effect<A, CredentialsError>) =>
    Effect.flatMap(
      Effect.tryPromise({
        try: open,
        catch: (error) => new CredentialsError("secret_missing", (error as Error).message),
      }),
      ask,
    );
  return {
    known: known.all,
    learn: known.add,
    secret: (name) => use(({ secret }) => secret(name)),
    token: (name, principal) => use(({ token }) => token(name, principal)),
    renew: (name, refused, principal) => use(({ renew }) => renew(name, refused, principal)),
    beginSignIn: (name, principal) => use(({ beginSignIn }) => beginSignIn(name, principal)),
    finishSignIn: (answer) => use(({ finishSignIn }) => finishSignIn(answer)),
  };
};

export interface KnownSecrets {
  /** Call it whenever a secret is handed out. */
  readonly add: (secret: string) => void;
  /** Frozen, and the same object until a secret is added or removed. */
  readonly all: () => readonly string[];
}

const minKeptSecrets = 1_000;
const minRetentionMs = 60 * 60_000;
const maxKnownSecrets = 5_000;
const evictionBatchSize = 500;

/**
 * Keeps `lasting` permanently. Of the secrets handed out it keeps the newest 1,000, and those of the last
 * hour up to 5,000.
 */
export const knownSecrets = (permanent: Iterable<string>, now: () => number = Date.now): KnownSecrets => {
  const kept = new Set([...permanent].filter((secret) => secret.trim() !== ""));
  const handedOut = new Map<string, number>();
  let maxKept = minKeptSecrets + evictionBatchSize;
  let all: readonly string[] | undefined;

  const forget = (): void => {
    const since = now() - minRetentionMs;
    for (const [secret, at] of handedOut) {
      if (handedOut.size <= minKeptSecrets || (handedOut.size <= maxKnownSecrets && at > since)) break;
      handedOut.delete(secret);
    }
    maxKept = handedOut.size + evictionBatchSize;
  };

  return {
    add: (secret) => {
      if (kept.has(secret)) return;
      const isKnown = handedOut.delete(secret);
      handedOut.set(secret, now());
      if (isKnown) return;
      all = undefined;
      if (handedOut.size > maxKept) forget();
    },
    all: () => {
      all ??= Object.freeze([...kept, ...handedOut.keys()]);
      return all;
    },
  };
};

/** Rejects with the store's `CredentialsError`. */
export const readSecret = (secret: CredentialStore["secret"], name: string): Promise<string> =>
  Effect.runPromise(Effect.map(secret(name), Redacted.value));

/** Validates the options at startup and returns the secrets in variables and files. */
export const checkCredentials = (
  options: CredentialsOptions,
): Effect.Effect<readonly string[], ConfigurationError> =>
  typeof options === "function" || Object.keys(options).every((field) => field === "values")
    ? Effect.succeed([])
    : Effect.flatMap(openOnFirstUse(options, { known: knownSecrets([]) }), ({ configured }) => configured);

const openOnFirstUse = (
  options: CredentialsOptions,
  services: Parameters<typeof openCredentials>[1],
): Effect.Effect<ReturnType<typeof openCredentials>, ConfigurationError> =>
  Effect.flatMap(
    Effect.promise(() => import("./open-credentials.ts")),
    (loaded) =>
      Effect.try({
        try: () => loaded.openCredentials(options, services),
        catch: (error) => error as ConfigurationError,
      }),
  );
