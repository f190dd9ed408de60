import { appendFileSync, existsSync, readFileSync } from "node:fs";
import { join } from "node:path";

/** `a` starts the run and `b` takes it over. */
export type Actor = "a" | "b";

/**
 * An event outside of the ledger. Both processes append to one file with one write per line, so the order of
 * the lines is the order of the events.
 */
export type Sighting =
  /** The tool took effect. */
  | { readonly kind: "effect"; readonly by: Actor; readonly mark: string; readonly callId: string }
  /** The tool's code returned. */
  | { readonly kind: "returned"; readonly by: Actor; readonly mark: string }
  /** `b` claimed or cancelled the run. */
  | { readonly kind: "taken"; readonly by: Actor; readonly how: "claimed" | "given-up" }
  /** The ledger's reply to a write of `a` during or after the held call. */
  | { readonly kind: "write"; readonly by: Actor; readonly what: string; readonly refusedWith?: string };

const fileIn = (folder: string): string => join(folder, "witness");

export const witness = (folder: string, sighting: Sighting): void =>
  appendFileSync(fileIn(folder), `${JSON.stringify(sighting)}\n`);

export const readSightings = (folder: string): readonly Sighting[] => {
  if (!existsSync(fileIn(folder))) return [];
  // The last line may be incomplete, because its writer was killed.
  const lines = readFileSync(fileIn(folder), "utf8").split("\n").slice(0, -1);
  return lines.map((line) => JSON.parse(line) as Sighting);
};

/** The held call returns once this file exists. */
export const releaseFile = (folder: string): string => join(folder, "release");
