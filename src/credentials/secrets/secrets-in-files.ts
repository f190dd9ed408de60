import { readdir } from "node:fs/promises";
import { join } from "node:path";
import * as Effect from "effect/Effect";
import type { SecretSource } from "../secret-source.ts";
import { accessOf, isFileName, readSecretFile } from "./secret-finder.ts";

/** Each takes some kilobytes to look for, and a directory with more is not one of secrets. */
const most = 1_000;

/**
 * Every secret that lies in a configured file right now, so that it is masked before anybody asks for it. What cannot
 * be read is left out here: whoever asks for it is told why.
 */
export const secretsInFiles = (source: SecretSource): Effect.Effect<readonly string[]> =>
  Effect.gen(function* () {
    if (typeof source === "function") return [];
    if (isList(source)) return (yield* Effect.forEach(source, secretsInFiles)).flat();
    const { file, sharedFiles, sources = [] } = source;
    const paths = typeof file === "string" ? yield* filesIn(file) : Object.values(file ?? {});
    const found = yield* Effect.forEach(paths, (path) =>
      Effect.orElseSucceed(readSecretFile(path, accessOf(sharedFiles)), () => undefined),
    );
    return [...found.filter((text) => text !== undefined), ...(yield* secretsInFiles(sources))];
  });

const isList = (source: SecretSource): source is readonly SecretSource[] => Array.isArray(source);

const filesIn = (directory: string): Effect.Effect<readonly string[]> =>
  Effect.orElseSucceed(
    Effect.map(
      Effect.tryPromise(() => readdir(directory)),
      (names) =>
        names
          .filter(isFileName)
          .slice(0, most)
          .map((name) => join(directory, name)),
    ),
    () => [],
  );
