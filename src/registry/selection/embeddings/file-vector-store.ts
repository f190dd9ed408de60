import { randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { checkFields } from "../../../base/json/check-fields.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import { readVectors, writeVectors } from "./vector-file.ts";
import type { VectorStore } from "./vector-store.ts";

/** Options of `fileVectorStore`. */
export interface FileVectorStoreOptions {
  /** Path of the file, one per embedder. Its folder is created. */
  readonly file: string;
  /** Name of the embedder. Vectors of another embedder are ignored and overwritten. */
  readonly name: string;
  /** Maximum number of vectors; the oldest are removed. Default: 50,000. */
  readonly maxVectors?: number;
}

/**
 * Stores vectors in a file, so that a restarted program embeds only what is new. A file that is missing,
 * damaged or of another embedder counts as empty. Of two concurrent writers the later wins.
 */
export const fileVectorStore = (options: FileVectorStoreOptions): VectorStore => {
  checkFields("fileVectorStore", options, ["file", "name", "maxVectors"]);
  const { file, name, maxVectors = 50_000 } = options;
  if (typeof file !== "string" || file === "") throw invalidOptionError("`file` must be the path of a file.");
  if (typeof name !== "string" || name === "")
    throw invalidOptionError("`name` must be the name of the embedder.");
  if (!Number.isSafeInteger(maxVectors) || maxVectors < 1)
    throw invalidOptionError("`maxVectors` must be a whole number of at least 1.");

  const load = async (signal?: AbortSignal): Promise<Map<string, Float32Array>> => {
    const bytes = await readFile(file, { signal }).catch(() => undefined);
    return (bytes === undefined ? undefined : readVectors(bytes, name)) ?? new Map();
  };

  const save = async (entries: ReadonlyMap<string, Float32Array>): Promise<void> => {
    const all = await load();
    const dimension = entries.values().next().value?.length;
    for (const [key, vector] of all) if (vector.length !== dimension) all.delete(key);
    for (const [key, vector] of entries)
      if (vector.length === dimension && keyPattern.test(key)) all.set(key, vector);
    for (const key of all.keys()) {
      if (all.size <= maxVectors) break;
      all.delete(key);
    }
    await mkdir(dirname(file), { recursive: true });
    const draft = `${file}.${randomUUID()}.draft`;
    try {
      await writeFile(draft, writeVectors(all, name), { flag: "wx", flush: true });
      await rename(draft, file);
    } catch (error) {
      await rm(draft, { force: true });
      throw error;
    }
  };

  let waiting = new Map<string, Float32Array>();
  let saving: Promise<void> | undefined;
  const saveNext = async (before: Promise<void> | undefined): Promise<void> => {
    await before?.catch(() => undefined);
    const entries = waiting;
    waiting = new Map();
    if (entries.size > 0) await save(entries);
  };

  return {
    get: async (keys, signal) => {
      const all = await load(signal);
      return new Map(
        keys.flatMap((key) => {
          const vector = all.get(key);
          return vector === undefined ? [] : [[key, vector] as const];
        }),
      );
    },
    set: (entries) => {
      for (const [key, vector] of entries) waiting.set(key, vector);
      saving = saveNext(saving);
      return saving;
    },
  };
};

const keyPattern = /^[0-9a-f]{64}$/;

const invalidOptionError = (what: string): ConfigurationError =>
  new ConfigurationError("invalid_config", `fileVectorStore: ${what}`);
