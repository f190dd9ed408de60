import { hash, randomUUID } from "node:crypto";
import { mkdir, readFile, rename, rm, writeFile } from "node:fs/promises";
import { dirname } from "node:path";
import { checkFields } from "../../../base/json/check-fields.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import type { VectorStore } from "./tool-vectors.ts";

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

interface FileHeader {
  readonly format: "haft-vectors-1";
  readonly name: string;
  readonly dimension: number;
  readonly count: number;
  /** Of all bytes after the line. */
  readonly sha256: string;
}

const keyBytes = 32;
const lineEnd = 0x0a;

/**
 * Format: a line of JSON, then for each vector the 32 bytes of its key and its numbers as little-endian
 * float32.
 */
const writeVectors = (entries: ReadonlyMap<string, Float32Array>, name: string): Uint8Array => {
  const dimension = entries.values().next().value?.length ?? 0;
  const step = keyBytes + 4 * dimension;
  const body = new Uint8Array(entries.size * step);
  const view = new DataView(body.buffer);
  let at = 0;
  for (const [key, vector] of entries) {
    body.set(Buffer.from(key, "hex"), at);
    for (let place = 0; place < dimension; place++)
      view.setFloat32(at + keyBytes + 4 * place, vector[place]!, true);
    at += step;
  }
  const sha256 = hash("sha256", body, "hex");
  const head: FileHeader = { format: "haft-vectors-1", name, dimension, count: entries.size, sha256 };
  return Buffer.concat([Buffer.from(`${JSON.stringify(head)}\n`), body]);
};

/** Undefined if the bytes are damaged or of another embedder. */
const readVectors = (bytes: Uint8Array, name: string): Map<string, Float32Array> | undefined => {
  const end = bytes.indexOf(lineEnd);
  const head = end === -1 ? undefined : readHeader(bytes.subarray(0, end));
  if (head === undefined || head.name !== name) return undefined;
  const { dimension, count, sha256 } = head;
  const step = keyBytes + 4 * dimension;
  const body = bytes.subarray(end + 1);
  if (body.length !== count * step || hash("sha256", body, "hex") !== sha256) return undefined;
  const view = new DataView(body.buffer, body.byteOffset, body.byteLength);
  const entries = new Map<string, Float32Array>();
  for (let at = 0; at < body.length; at += step) {
    const vector = new Float32Array(dimension);
    for (let place = 0; place < dimension; place++)
      vector[place] = view.getFloat32(at + keyBytes + 4 * place, true);
    entries.set(Buffer.from(body.subarray(at, at + keyBytes)).toString("hex"), vector);
  }
  return entries;
};

const readHeader = (line: Uint8Array): FileHeader | undefined => {
  try {
    const head: Partial<FileHeader> = JSON.parse(new TextDecoder().decode(line));
    const isWhole = (value: unknown): value is number => Number.isSafeInteger(value) && Number(value) > 0;
    return head.format === "haft-vectors-1" && isWhole(head.dimension) && isWhole(head.count)
      ? (head as FileHeader)
      : undefined;
  } catch {
    return undefined;
  }
};
