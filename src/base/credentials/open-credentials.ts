import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import { ConfigurationError } from "../../types/errors.ts";
import type { HttpEgressClient } from "../http/http-egress.ts";
import { checkFields } from "../json/check-fields.ts";
import { isObject } from "../json/is-object.ts";
import { protectSecretFile } from "../platform/protected-files.ts";
import type { CredentialSourceConfig, CredentialsOptions } from "./credentials.ts";
import type { KnownSecrets } from "./known-secrets.ts";
import { type OAuthClient, oauthClient } from "./oauth/oauth-client.ts";
import type { SecretSource } from "./secret-source.ts";
import { type SecretResolver, secretResolver } from "./secrets/secret-resolver.ts";
import { fileAccessFor, isFileName, readSecretFile } from "./secrets/secret-source-readers.ts";

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
