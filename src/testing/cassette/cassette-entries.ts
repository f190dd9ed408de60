import { ConfigurationError } from "../../types/errors.ts";
import type { CassetteEntry, CassetteFile } from "./cassette-file.ts";
import type { CassetteCall, ParsedCassetteOptions } from "./cassette-options.ts";
import { hashWithoutIgnored, parseIgnorePointers } from "./ignored-arguments.ts";

export class CassetteEntries {
  readonly entries: readonly CassetteEntry[];
  readonly #options: ParsedCassetteOptions;
  readonly #hashes: readonly ReadonlySet<string>[];
  readonly #used: boolean[];

  constructor(tape: CassetteFile, options: ParsedCassetteOptions) {
    this.entries = tape.entries;
    this.#options = options;
    this.#hashes = typeof options.match === "function" ? [] : matchingHashes(tape, options);
    this.#used = tape.entries.map(() => false);
  }

  isUsed(index: number): boolean {
    return this.#used[index] === true;
  }

  get next(): number | undefined {
    const index = this.#used.indexOf(false);
    return index < 0 ? undefined : index;
  }

  take(call: CassetteCall): number | undefined {
    const found = this.#findUnused(call);
    if (found !== undefined) this.#used[found] = true;
    return found;
  }

  /** Whether an entry matches, regardless of the order. */
  fits(call: CassetteCall, index: number): boolean {
    const entry = this.entries[index]!;
    const { match } = this.#options;
    if (typeof match === "function") return match(call, entry);
    return entry.tool === call.tool && this.#hashes[index]!.has(call.argumentsHash);
  }

  #findUnused(call: CassetteCall): number | undefined {
    const { match, repeat } = this.#options;
    const group = match === "strict" ? this.entries[this.next ?? -1]?.group : undefined;
    let last: number | undefined;
    for (let index = 0; index < this.entries.length; index++) {
      if (match === "strict" && this.entries[index]!.group !== group) continue;
      if (this.isUsed(index) && !repeat) continue;
      if (!this.fits(call, index)) continue;
      if (!this.isUsed(index)) return index;
      last = index;
    }
    return last;
  }
}

/**
 * A secret that was masked in one result comes back masked in the next call, so the hash of the masked
 * arguments matches too.
 */
const matchingHashes = (
  tape: CassetteFile,
  { ignore, steps }: ParsedCassetteOptions,
): readonly ReadonlySet<string>[] => {
  const recordedPointers = parseIgnorePointers(tape.ignore);
  const isEqual = tape.ignore.length === ignore.length && tape.ignore.every((each) => ignore.includes(each));
  const isWider = tape.ignore.every((each) => ignore.includes(each));
  return tape.entries.map((entry) => {
    const shown = hashWithoutIgnored(entry.arguments, steps);
    if (isEqual) return new Set([entry.argumentsHash, shown]);
    const isExact = hashWithoutIgnored(entry.arguments, recordedPointers) === entry.argumentsHash;
    if (isWider && isExact) return new Set([shown]);
    throw new ConfigurationError(
      "invalid_config",
      `The cassette was recorded with ignore ${JSON.stringify(tape.ignore)} and is opened with ${JSON.stringify(ignore)}. Its entry for "${entry.tool}" holds ${isExact ? "values that were ignored" : "masked values"}, so it cannot be matched. Record it again.`,
    );
  });
};
