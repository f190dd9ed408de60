import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import { type ConfigurationError, CredentialsError } from "../../types/errors.ts";
import type { Principal } from "../../types/principal.ts";
import type { HttpEgressClient } from "../http/http-egress.ts";
import { knownSecrets } from "./known-secrets.ts";
import type { OAuthCredential } from "./oauth/oauth-credential.ts";
import type { SignIn, SignInAnswer } from "./oauth/sign-in.ts";
import type { TokenStore } from "./oauth/token-store.ts";
import type { openCredentials } from "./open-credentials.ts";
import { openOnce } from "./open-once.ts";
import type { Secret, SecretSource, SecretSourceConfig } from "./secret-source.ts";
import type { OutboundToken } from "./token.ts";

/** Where secrets come from, and how tokens of callers are had. */
export type CredentialsOptions = SecretSource | CredentialSourceConfig;

/** Secrets from the places of `SecretPlaces`, and tokens of callers beside them. */
export interface CredentialSourceConfig extends SecretSourceConfig {
  /** How tokens are had, by the name that tools use. Unless set: no tokens. */
  readonly oauth?: Readonly<Record<string, OAuthCredential>>;
  /** Where tokens are kept: a store, or a directory for `fileTokenStore`. Unless set: in memory. */
  readonly tokens?: TokenStore | string;
}

/**
 * Named secrets, and OAuth tokens that belong to callers. A value travels only as `Redacted`, whose printed forms
 * are masked. The caller is the fiber's; inside a call no other can be named.
 */
export interface CredentialStore {
  readonly secret: (name: string) => Effect.Effect<Redacted.Redacted<string>, CredentialsError>;
  /** Good for a while; ask for it at every use, for it is renewed in time. */
  readonly token: (name: string, principal?: Principal) => Effect.Effect<OutboundToken, CredentialsError>;
  /** Another token than the one the service has just refused. */
  readonly renew: (
    name: string,
    refused: OutboundToken,
    principal?: Principal,
  ) => Effect.Effect<OutboundToken, CredentialsError>;
  /** A person opens the URL to give the caller a right; what comes back within 10 minutes goes to `finishSignIn`. */
  readonly beginSignIn: (name: string, principal?: Principal) => Effect.Effect<SignIn, CredentialsError>;
  readonly finishSignIn: (answer: SignInAnswer) => Effect.Effect<void, CredentialsError>;
  /** What is at hand and what was handed out, for the one redactor to mask. */
  readonly known: () => Iterable<string>;
  /** Masks a secret from now on that somebody else handed out. */
  readonly learn: (secret: string) => void;
}

/** The service in which tools find secrets and tokens by name. */
export class Credentials extends Context.Service<Credentials, CredentialStore>()("haft/Credentials") {}

// What is at hand is masked from the start, not only once a tool has used it.
const valuesInMemory = (source: SecretSource | undefined): readonly Secret[] => {
  if (typeof source !== "object" || source === null) return [];
  const { values = {}, sources } = source as SecretSourceConfig;
  return Array.isArray(source)
    ? source.flatMap(valuesInMemory)
    : [...Object.values(values), ...valuesInMemory(sources)];
};

/** Haft's own secrets, which tools could print with the environment. There may be several keys of the ledger. */
const ownSecrets = (): readonly string[] => {
  const { HAFT_OPERATOR_SECRET: operator = "", HAFT_LEDGER_KEY: keys = "" } = process.env;
  return [operator, keys, ...keys.split(",").map((key) => key.trim())].filter((secret) => secret !== "");
};

/** A credential store. What it stands on is loaded with its first use; `configured` is masked from the start as well. */
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

/** Reads a secret for code that is written with promises. Rejects with the store's `CredentialsError`. */
export const readSecret = (secret: CredentialStore["secret"], name: string): Promise<string> =>
  Effect.runPromise(Effect.map(secret(name), Redacted.value));

/**
 * Says what is wrong with the options before anybody asks, and gives the secrets in variables and files. Values need
 * no look, and load nothing.
 */
export const checkCredentials = (
  options: CredentialsOptions,
): Effect.Effect<readonly string[], ConfigurationError> =>
  typeof options === "function" || Object.keys(options).every((field) => field === "values")
    ? Effect.succeed([])
    : Effect.flatMap(openOnFirstUse(options, { known: knownSecrets([]) }), ({ configured }) => configured);

/** Loaded with its first use. */
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
