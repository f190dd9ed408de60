import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Option from "effect/Option";
import * as Redacted from "effect/Redacted";
import { ConfigurationError, type CredentialsError } from "../../types/errors.ts";
import { CurrentPrincipal, type Principal } from "../../types/principal.ts";
import { HttpEgress, type HttpEgressClient } from "../http/http-egress.ts";
import { checkFields } from "../json/check-fields.ts";
import { isObject, type JsonObject } from "../json/json-value.ts";
import { protectSecretFile } from "../platform/protected-files.ts";
import type { CredentialSourceConfig, CredentialsOptions, KnownSecrets } from "./credentials.ts";
import {
  noCallerError,
  noHttpClientError,
  quoted,
  unknownCredentialError,
  wrongCallerError,
} from "./oauth/credential-errors.ts";
import { fileTokenStore } from "./oauth/file-token-store.ts";
import {
  endpointProblem,
  type OAuthCredential,
  tokenIdentityOf,
  tokenKeyOf,
} from "./oauth/oauth-credential.ts";
import { type CredentialUse, oauthTokens } from "./oauth/oauth-tokens.ts";
import { type SignIn, type SignInAnswer, signIns } from "./oauth/sign-in.ts";
import { memoryTokenStore, type TokenStore } from "./oauth/token-store.ts";
import type { SecretSource } from "./secret-source.ts";
import { type SecretResolver, secretResolver } from "./secrets/secret-resolver.ts";
import { fileAccessFor, isFileName, readSecretFile } from "./secrets/secret-source-readers.ts";
import { type OutboundToken, outboundToken } from "./token.ts";

const sourceFields = ["values", "env", "file", "sharedFiles", "command", "sources"];
const assertConfig = (fits: boolean, what: string): void => {
  if (!fits) throw new ConfigurationError("invalid_config", `${what}.`);
};

const checkCommand = (command: unknown, at: string): void => {
  checkFields(`${at}.command`, command, ["argv", "env", "cacheMs"]);
  const { argv, env = [], cacheMs = 0 } = command as Record<string, unknown>;
  const isNames = Array.isArray(env) && env.every((name) => typeof name === "string");
  assertConfig(
    typeof argv === "function" || isObject(argv),
    `${at}.command.argv must be a program and its arguments for each secret, or a function that returns them`,
  );
  assertConfig(isNames, `${at}.command.env must be a list of names of variables`);
  assertConfig(
    typeof cacheMs === "number" && cacheMs >= 0,
    `${at}.command.cacheMs must be a number of milliseconds of at least 0`,
  );
};

const checkSource = (source: unknown, at: string, more: readonly string[] = []): void => {
  if (typeof source === "function") return;
  if (Array.isArray(source)) {
    for (const [index, one] of source.entries()) checkSource(one, `${at}[${index}]`);
    return;
  }
  checkFields(at, source, [...sourceFields, ...more]);
  const { values, env, file, sharedFiles, command, sources } = source as Record<string, unknown>;
  assertConfig(
    values === undefined || isObject(values),
    `${at}.values must be an object, one field for each secret`,
  );
  for (const [name, place] of Object.entries({ env, file })) {
    const fits = place === undefined || typeof place === "string" || isObject(place);
    assertConfig(fits, `${at}.${name} must be a string or an object`);
  }
  assertConfig(
    sharedFiles === undefined || typeof sharedFiles === "boolean",
    `${at}.sharedFiles must be true or false`,
  );
  if (command !== undefined) checkCommand(command, at);
  assertConfig(sources === undefined || Array.isArray(sources), `${at}.sources must be a list`);
  if (sources !== undefined) checkSource(sources, `${at}.sources`);
};

const isTokenStore = (given: unknown): boolean => {
  if (given === undefined || (typeof given === "string" && given !== "")) return true;
  const { get, set, delete: remove } = (given ?? {}) as Record<string, unknown>;
  return [get, set, remove].every((each) => typeof each === "function");
};

interface OAuthClientOptions {
  readonly credentials: Readonly<Record<string, OAuthCredential>>;
  readonly store: TokenStore | string | undefined;
  readonly secret: SecretResolver;
  readonly known: KnownSecrets;
  readonly client: HttpEgressClient | undefined;
}

interface OAuthClient {
  readonly token: (name: string, principal?: Principal) => Effect.Effect<OutboundToken, CredentialsError>;
  readonly renew: (
    name: string,
    refused: OutboundToken,
    principal?: Principal,
  ) => Effect.Effect<OutboundToken, CredentialsError>;
  readonly beginSignIn: (name: string, principal?: Principal) => Effect.Effect<SignIn, CredentialsError>;
  readonly finishSignIn: (answer: SignInAnswer) => Effect.Effect<void, CredentialsError>;
}

const oauthClient = ({ credentials, store, secret, known, client }: OAuthClientOptions): OAuthClient => {
  checkOAuth(credentials);
  const tokenStore = typeof store === "string" ? fileTokenStore(store) : (store ?? memoryTokenStore());
  const tokens = oauthTokens({ store: tokenStore, secret, known });
  const waiting = signIns(tokens, known);

  /** Inside a call, only the fiber's own principal can be named. */
  const credentialUseOf = Effect.fnUntraced(function* (name: string, given: Principal | undefined) {
    const credential = Object.hasOwn(credentials, name) ? credentials[name] : undefined;
    if (credential === undefined)
      return yield* Effect.fail(unknownCredentialError(name, Object.keys(credentials)));
    const current = yield* CurrentPrincipal;
    const principal = given ?? current;
    if (principal === undefined) return yield* Effect.fail(noCallerError(name));
    const identity = tokenIdentityOf(principal);
    const currently = current === undefined ? identity : tokenIdentityOf(current);
    if (identity === undefined || currently === undefined) return yield* Effect.fail(wrongCallerError(name));
    const key = tokenKeyOf(name, identity);
    if (key !== tokenKeyOf(name, currently)) return yield* Effect.fail(wrongCallerError(name));
    const found = client ?? Option.getOrUndefined(yield* Effect.serviceOption(HttpEgress));
    if (found === undefined) return yield* Effect.fail(noHttpClientError(name));
    const use: CredentialUse = { key, label: quoted(name), name, credential, principal, client: found };
    return use;
  });

  return {
    token: (name, principal) =>
      credentialUseOf(name, principal).pipe(
        Effect.flatMap(tokens.get),
        Effect.map(({ accessToken }) => outboundToken(accessToken, name)),
      ),
    renew: (name, refused, principal) =>
      credentialUseOf(name, principal).pipe(
        Effect.flatMap((owner) => tokens.renew(owner, Redacted.value(refused))),
        Effect.map(({ accessToken }) => outboundToken(accessToken, name)),
      ),
    beginSignIn: (name, principal) => Effect.flatMap(credentialUseOf(name, principal), waiting.begin),
    finishSignIn: (answer) => waiting.finish(answer, (name) => credentialUseOf(name, answer.principal)),
  };
};

const commonFields = [
  "grant",
  "clientId",
  "clientSecret",
  "clientAuth",
  "tokenUrl",
  "issuer",
  "scopes",
  "audience",
  "resource",
];

const fieldsByGrant: Readonly<Record<OAuthCredential["grant"], readonly string[]>> = {
  client_credentials: commonFields,
  refresh_token: [...commonFields, "refreshToken"],
  authorization_code: [...commonFields, "authorizationUrl", "redirectUrl"],
};

const isText = (value: unknown): boolean => typeof value === "string" && value.trim() !== "";

const isScope = (value: unknown): boolean =>
  typeof value === "string" && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(value);

const isResource = (value: unknown): boolean =>
  typeof value === "string" && URL.canParse(value) && !value.includes("#");

const credentialProblem = (given: JsonObject): string | undefined => {
  const { grant, clientId, clientSecret, clientAuth, tokenUrl, issuer, scopes, audience, resource } = given;
  if (!isText(clientId)) return "clientId must be the client id that the service registered";
  if (clientSecret !== undefined && !isText(clientSecret)) return "clientSecret must be the name of a secret";
  if (grant === "client_credentials" && clientSecret === undefined)
    return "clientSecret must be the name of a secret: without it, any client could request this token";
  if (clientAuth !== undefined && clientAuth !== "basic" && clientAuth !== "form")
    return 'clientAuth must be "basic" or "form"';
  if (tokenUrl === undefined && issuer === undefined) return "tokenUrl or issuer must be given";
  if (scopes !== undefined && !(Array.isArray(scopes) && scopes.every(isScope)))
    return "scopes must be a list of scopes without spaces";
  if (audience !== undefined && !isText(audience)) return "audience must be a string";
  if (resource !== undefined && ![resource].flat().every(isResource))
    return "resource must be an absolute URI without a fragment, or a list of them";
  if (grant === "refresh_token" && typeof given.refreshToken !== "function")
    return "refreshToken must be a function from a caller to the name of a secret";
  if (grant !== "authorization_code") return undefined;
  if (given.redirectUrl === undefined) return "redirectUrl must be given";
  return given.authorizationUrl === undefined && issuer === undefined
    ? "authorizationUrl or issuer must be given"
    : undefined;
};

const checkCredential = (name: string, given: unknown): void => {
  const what = `credentials.oauth.${name}`;
  const grants = Object.keys(fieldsByGrant);
  const grant = (given as JsonObject | null | undefined)?.grant;
  if (typeof grant !== "string" || !Object.hasOwn(fieldsByGrant, grant))
    throw new ConfigurationError("invalid_config", `${what}.grant must be one of ${grants.join(", ")}.`);
  checkFields(what, given, fieldsByGrant[grant as OAuthCredential["grant"]]);
  const fields = given as JsonObject;
  const reason = credentialProblem(fields);
  if (reason !== undefined) throw new ConfigurationError("invalid_config", `${what}: ${reason}.`);
  for (const field of ["tokenUrl", "authorizationUrl", "redirectUrl", "issuer"]) {
    const wrong = fields[field] === undefined ? undefined : endpointProblem(fields[field]);
    if (wrong !== undefined) throw new ConfigurationError("invalid_config", `${what}.${field} ${wrong}.`);
  }
};

const checkOAuth = (given: unknown): void => {
  if (typeof given !== "object" || given === null || Array.isArray(given))
    throw new ConfigurationError(
      "invalid_config",
      "credentials.oauth must be an object, one field for each name.",
    );
  for (const [name, one] of Object.entries(given)) checkCredential(name, one);
};

interface OpenedCredentials extends OAuthClient {
  readonly secret: SecretResolver;
  readonly configured: Effect.Effect<readonly string[]>;
}

interface CredentialServices {
  readonly known: KnownSecrets;
  readonly client?: HttpEgressClient | undefined;
}

export const openCredentials = (
  options: CredentialsOptions,
  { known, client }: CredentialServices,
): OpenedCredentials => {
  checkSource(options, "credentials", ["oauth", "tokens"]);
  const secret = secretResolver(options as SecretSource, known);
  const { oauth: grants, tokens } = (typeof options === "function" ? {} : options) as CredentialSourceConfig;
  assertConfig(
    isTokenStore(tokens),
    "credentials.tokens must be a directory, or a store with get, set and delete",
  );
  protectFiles(options as SecretSource);
  return {
    secret,
    configured: configuredSecrets(options as SecretSource),
    ...oauthClient({ credentials: grants ?? {}, store: tokens, secret, known, client }),
  };
};

/** File tools would hand secrets to a model, in pieces that masking does not recognize. */
const protectFiles = (source: SecretSource): void => {
  if (typeof source === "function") return;
  if (isList(source)) {
    for (const each of source) protectFiles(each);
    return;
  }
  const { file = {}, sources = [] } = source;
  for (const path of typeof file === "string" ? [file] : Object.values(file))
    if (typeof path === "string" && path !== "") protectSecretFile(path);
  protectFiles(sources);
};

const maxConfiguredSecrets = 1_000;

/** Reads every configured secret, so that it is masked before its first use. Skips unreadable places. */
const configuredSecrets = (source: SecretSource): Effect.Effect<readonly string[]> =>
  Effect.gen(function* () {
    if (typeof source === "function") return [];
    if (isList(source)) return (yield* Effect.forEach(source, configuredSecrets)).flat();
    const { env = {}, file, sharedFiles, sources = [] } = source;
    const paths = typeof file === "string" ? yield* secretsInFolder(file) : Object.values(file ?? {});
    const found = yield* Effect.forEach(paths, (path) =>
      Effect.orElseSucceed(readSecretFile(path, fileAccessFor(sharedFiles)), () => undefined),
    );
    const inFiles = found.filter((text) => text !== undefined);
    return [...secretsInVariables(env), ...inFiles, ...(yield* configuredSecrets(sources))];
  });

const secretsInVariables = (env: string | Readonly<Record<string, string>>): readonly string[] => {
  const isOurs = (name: string): boolean =>
    typeof env === "string" ? env !== "" && name.startsWith(env) : Object.hasOwn(env, name);
  return Object.entries(process.env).flatMap(([name, text]) => (text && isOurs(name) ? [text] : []));
};

const isList = (source: SecretSource): source is readonly SecretSource[] => Array.isArray(source);

const secretsInFolder = (directory: string): Effect.Effect<readonly string[]> =>
  Effect.orElseSucceed(
    Effect.map(
      Effect.tryPromise(() => readdir(directory)),
      (names) =>
        names
          .filter(isFileName)
          .slice(0, maxConfiguredSecrets)
          .map((name) => join(directory, name)),
    ),
    () => [],
  );
