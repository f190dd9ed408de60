import { join } from "node:path";
import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import {
  type CommandSource,
  decodeSecret,
  fromValueOrAsync,
  type Secret,
  SecretError,
  type SecretLookup,
  type SecretSource,
  type SecretSourceConfig,
} from "../secret-source.ts";
import { type FileAccess, readPrivateFile } from "./read-private-file.ts";
import { runSecretCommand } from "./run-secret-command.ts";

export interface SecretFinder {
  readonly find: (name: string) => Effect.Effect<Secret | undefined, unknown>;
  readonly places: (name: string) => readonly string[];
}

export const secretTextOf = (secret: unknown): string | undefined => {
  const text = Redacted.isRedacted(secret) ? Redacted.value(secret) : secret;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
};

const lookupFinder = (lookup: SecretLookup): SecretFinder => ({
  find: (name) => fromValueOrAsync(() => lookup(name)),
  places: () => ["the configured secret function"],
});

const valuesFinder = (values: NonNullable<SecretSourceConfig["values"]>): SecretFinder => ({
  find: (name) => Effect.sync(() => (Object.hasOwn(values, name) ? values[name] : undefined)),
  places: () => ["the configured values"],
});

export const variableOf = (env: NonNullable<SecretSourceConfig["env"]>, name: string): string | undefined =>
  typeof env === "string"
    ? env + name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")
    : Object.keys(env).find((variable) => env[variable] === name);

const envFinder = (env: NonNullable<SecretSourceConfig["env"]>): SecretFinder => {
  return {
    find: (name) =>
      Effect.sync(() => {
        const variable = variableOf(env, name);
        return variable === undefined ? undefined : process.env[variable];
      }),
    places: (name) => {
      const variable = variableOf(env, name);
      return [variable === undefined ? "env (does not map it)" : `the environment variable ${variable}`];
    },
  };
};

const firstMatchFinder = (finders: readonly SecretFinder[]): SecretFinder => ({
  find: Effect.fnUntraced(function* (name: string) {
    for (const { find } of finders) {
      const found = yield* find(name);
      if (secretTextOf(found) !== undefined) return found;
    }
    return undefined;
  }),
  places: (name) => finders.flatMap((finder) => finder.places(name)),
});

export const secretFinder = (source: SecretSource): SecretFinder => {
  if (typeof source === "function") return lookupFinder(source);
  if (isList(source)) return firstMatchFinder(source.map(secretFinder));
  const { values, env, file, sharedFiles, command, sources = [] } = source;
  return firstMatchFinder([
    ...(values === undefined ? [] : [valuesFinder(values)]),
    ...(env === undefined ? [] : [envFinder(env)]),
    ...(file === undefined ? [] : [fileFinder(file, fileAccessFor(sharedFiles))]),
    ...(command === undefined ? [] : [commandFinder(command)]),
    ...sources.map(secretFinder),
  ]);
};

const commandTimeoutMs = 10_000;
const defaultCacheMs = 5 * 60_000;

interface CachedSecret {
  readonly value: string;
  readonly until: number;
}

const argvOf = ({ argv }: CommandSource, name: string): readonly string[] | undefined => {
  const found = typeof argv === "function" ? argv(name) : Object.hasOwn(argv, name) ? argv[name] : undefined;
  if (found === undefined) return undefined;
  const isSound =
    Array.isArray(found) && found.every((part) => typeof part === "string" && !part.includes("\0"));
  if (isSound && found[0] !== undefined && found[0] !== "") return found;
  throw new SecretError("the command is not a list of a program and its arguments");
};

const commandFinder = (source: CommandSource): SecretFinder => {
  const { env = [], cacheMs = defaultCacheMs } = source;
  const kept = new Map<string, CachedSecret>();
  const running = new Map<string, Promise<string>>();

  const start = (name: string, argv: readonly string[]): Promise<string> => {
    const run = runSecretCommand(argv, { env, timeoutMs: commandTimeoutMs }).finally(() =>
      running.delete(name),
    );
    running.set(name, run);
    return run;
  };

  const ask = Effect.fnUntraced(function* (name: string) {
    const now = yield* Clock.currentTimeMillis;
    const known = kept.get(name);
    if (known !== undefined && now < known.until) return known.value;
    const argv = yield* Effect.try({ try: () => argvOf(source, name), catch: (error) => error });
    if (argv === undefined) return undefined;
    const value = yield* Effect.tryPromise({
      try: () => running.get(name) ?? start(name, argv),
      catch: (error) => error,
    });
    kept.set(name, { value, until: now + cacheMs });
    return value;
  });

  return {
    find: ask,
    places: (name) => {
      let program: string | undefined;
      try {
        program = argvOf(source, name)?.[0];
      } catch {
        return ["an invalid command"];
      }
      return [
        program === undefined ? "command (not configured for it)" : `the command ${JSON.stringify(program)}`,
      ];
    },
  };
};

const isList = (source: SecretSource): source is readonly SecretSource[] => Array.isArray(source);

export const fileAccessFor = (sharedFiles: boolean | undefined): FileAccess =>
  sharedFiles === true ? "readable" : "owner";

/** The name must stay inside its directory. */
export const isFileName = (name: string): boolean => /^\w[\w.-]{0,254}$/.test(name);

export const secretPathOf = (
  file: string | Readonly<Record<string, string>>,
  name: string,
): string | undefined => {
  if (typeof file !== "string") return Object.hasOwn(file, name) ? file[name] : undefined;
  return isFileName(name) ? join(file, name) : undefined;
};

export const readSecretFile = (
  path: string,
  access: FileAccess,
): Effect.Effect<string | undefined, unknown> =>
  typeof path !== "string" || path === "" || path.includes("\0")
    ? Effect.fail(new SecretError("the path of its file is not valid"))
    : Effect.tryPromise({ try: () => readPrivateFile(path, access), catch: (error) => error }).pipe(
        Effect.flatMap((bytes) =>
          Effect.try({
            try: () => (bytes === undefined ? undefined : decodeSecret(bytes, `the file ${path}`)),
            catch: (error) => error,
          }),
        ),
      );

/** Read at every use, so that a replaced file takes effect. */
const fileFinder = (file: string | Readonly<Record<string, string>>, access: FileAccess): SecretFinder => ({
  find: (name) => {
    const path = secretPathOf(file, name);
    return path === undefined ? Effect.succeed(undefined) : readSecretFile(path, access);
  },
  places: (name) => {
    const path = secretPathOf(file, name);
    if (path !== undefined) return [`the file ${path}`];
    return [
      typeof file === "string" ? `${file} (its name cannot be a file name)` : "file (not configured for it)",
    ];
  },
});
