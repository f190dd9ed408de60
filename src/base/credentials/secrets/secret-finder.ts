import { join } from "node:path";
import * as Effect from "effect/Effect";
import * as Redacted from "effect/Redacted";
import type { Secret, SecretLookup, SecretPlaces, SecretSource } from "../secret-source.ts";
import { commandFinder } from "./command-finder.ts";
import { type FileAccess, readPrivateFile } from "./private-file.ts";
import { SecretFault, toSecret } from "./secret-fault.ts";
import { settle } from "./settle.ts";

export interface SecretFinder {
  readonly find: (name: string) => Effect.Effect<Secret | undefined, unknown>;
  /** Where a secret is looked for, in words. */
  readonly places: (name: string) => readonly string[];
}

export const textOf = (secret: unknown): string | undefined => {
  const text = Redacted.isRedacted(secret) ? Redacted.value(secret) : secret;
  return typeof text === "string" && text.trim() !== "" ? text : undefined;
};

const lookupFinder = (lookup: SecretLookup): SecretFinder => ({
  find: (name) => settle(() => lookup(name)),
  places: () => ["the configured secret function"],
});

const valuesFinder = (values: NonNullable<SecretPlaces["values"]>): SecretFinder => ({
  find: (name) => Effect.sync(() => (Object.hasOwn(values, name) ? values[name] : undefined)),
  places: () => ["the configured values"],
});

const envFinder = (env: NonNullable<SecretPlaces["env"]>): SecretFinder => {
  const variableOf = (name: string): string | undefined =>
    typeof env === "string"
      ? env + name.toUpperCase().replaceAll(/[^A-Z0-9]/g, "_")
      : Object.keys(env).find((variable) => env[variable] === name);
  return {
    find: (name) =>
      Effect.sync(() => {
        const variable = variableOf(name);
        return variable === undefined ? undefined : process.env[variable];
      }),
    places: (name) => {
      const variable = variableOf(name);
      return [variable === undefined ? "env, which does not map it" : `the environment variable ${variable}`];
    },
  };
};

const inOrder = (finders: readonly SecretFinder[]): SecretFinder => ({
  find: Effect.fnUntraced(function* (name: string) {
    for (const { find } of finders) {
      const found = yield* find(name);
      if (textOf(found) !== undefined) return found;
    }
    return undefined;
  }),
  places: (name) => finders.flatMap((finder) => finder.places(name)),
});

/** One finder for everything a source names. */
export const secretFinder = (source: SecretSource): SecretFinder => {
  if (typeof source === "function") return lookupFinder(source);
  if (isList(source)) return inOrder(source.map(secretFinder));
  const { values, env, file, sharedFiles, command, sources = [] } = source;
  return inOrder([
    ...(values === undefined ? [] : [valuesFinder(values)]),
    ...(env === undefined ? [] : [envFinder(env)]),
    ...(file === undefined ? [] : [fileFinder(file, accessOf(sharedFiles))]),
    ...(command === undefined ? [] : [commandFinder(command)]),
    ...sources.map(secretFinder),
  ]);
};

const isList = (source: SecretSource): source is readonly SecretSource[] => Array.isArray(source);

/** Who may read the files of a place besides their owner. */
export const accessOf = (sharedFiles: boolean | undefined): FileAccess =>
  sharedFiles === true ? "readable" : "owner";

/** A name that stays inside the directory it is looked for in. */
export const isFileName = (name: string): boolean => /^\w[\w.-]{0,254}$/.test(name);

const pathOf = (file: string | Readonly<Record<string, string>>, name: string): string | undefined => {
  if (typeof file !== "string") return Object.hasOwn(file, name) ? file[name] : undefined;
  return isFileName(name) ? join(file, name) : undefined;
};

/** The secret in a file, or nothing if there is none. */
export const readSecretFile = (
  path: string,
  access: FileAccess,
): Effect.Effect<string | undefined, unknown> =>
  typeof path !== "string" || path === "" || path.includes("\0")
    ? Effect.fail(new SecretFault("the path of its file is no path"))
    : Effect.tryPromise({ try: () => readPrivateFile(path, access), catch: (error) => error }).pipe(
        Effect.flatMap((bytes) =>
          Effect.try({
            try: () => (bytes === undefined ? undefined : toSecret(bytes, `the file ${path}`)),
            catch: (error) => error,
          }),
        ),
      );

/** Read at every use, so that a file that is replaced counts at once. */
const fileFinder = (file: string | Readonly<Record<string, string>>, access: FileAccess): SecretFinder => ({
  find: (name) => {
    const path = pathOf(file, name);
    return path === undefined ? Effect.succeed(undefined) : readSecretFile(path, access);
  },
  places: (name) => {
    const path = pathOf(file, name);
    if (path !== undefined) return [`the file ${path}`];
    return [
      typeof file === "string" ? `${file}, where no file can have its name` : "file, which names none for it",
    ];
  },
});
