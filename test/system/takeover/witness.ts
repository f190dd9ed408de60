import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `a` began the run and `b` takes it over. */
export type Actor = "a" | "b";

/**
 * What the outside saw. Both processes append to one file, each line by one write, so the order of the lines is the
 * order in which things happened; the ledger has no part in it.
 */
export type Sighting =
  /** The tool took effect. */
  | { readonly kind: "effect"; readonly by: Actor; readonly mark: string; readonly callId: string }
  /** The tool's code returned. */
  | { readonly kind: "returned"; readonly by: Actor; readonly mark: string }
  /** The run is `b`'s, or was given up by it. */
  | { readonly kind: "taken"; readonly by: Actor; readonly how: "claimed" | "given-up" }
  /** The ledger's answer to something that `a` wrote while or after it was inside the held call. */
  | { readonly kind: "write"; readonly by: Actor; readonly what: string; readonly refusedWith?: string };

const fileIn = (folder: string): string => join(folder, "witness");

export const witness = (folder: string, sighting: Sighting): void =>
  appendFileSync(fileIn(folder), `${JSON.stringify(sighting)}\n`);

export const readSightings = (folder: string): readonly Sighting[] => {
  if (!existsSync(fileIn(folder))) return [];
  // The last line may be half a line: whoever wrote it was killed.
  const lines = readFileSync(fileIn(folder), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Sighting);
};

/** Once this file is there, the held call returns. */
export const releaseFile = (folder: string): string => join(folder, "release");
