import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { SecretSource } from "../secret-source.ts";
import { fileAccessFor, isFileName, readSecretFile } from "./secret-finder.ts";

const maxConfiguredSecrets = 1_000;

/** Reads every configured secret, so that it is masked before its first use. Skips unreadable places. */
export const configuredSecrets = (source: SecretSource): Effect.Effect<readonly string[]> =>
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
