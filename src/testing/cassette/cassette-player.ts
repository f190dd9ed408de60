import * as Effect from "effect/Effect";
import { textDiff } from "../../base/text/line-diff.ts";
import { definitionHash } from "../../tools/tool-definition.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import { ConfigurationError } from "../../types/errors.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import type { Handler, ToolLayer } from "../../types/tool.ts";
import type { CassetteEntry, CassetteFile, Drift, Miss, Place } from "./cassette-file.ts";
import type { CassetteCall, ParsedCassetteOptions } from "./cassette-options.ts";
import { hashWithoutIgnored, parseIgnorePointers, withoutIgnored } from "./ignored-arguments.ts";
import type { ParsedCassetteFile } from "./read-cassette-file.ts";
import { replayOutcome, toCassetteCall } from "./recorded-outcome.ts";

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

/** The layers and tools inside of it never run. */
export class CassettePlayer {
  readonly missed: Miss[] = [];
  answered = 0;
  readonly #path: string;
  readonly #cassette: ParsedCassetteFile;
  readonly #options: ParsedCassetteOptions;
  readonly #entries: CassetteEntries;
  readonly #drifts = new Map<string, Drift>();

  constructor(path: string, tape: ParsedCassetteFile, options: ParsedCassetteOptions) {
    this.#path = path;
    this.#cassette = tape;
    this.#options = options;
    this.#entries = new CassetteEntries(tape, options);
  }

  get entries(): number {
    return this.#cassette.entries.length;
  }

  get unused(): readonly Place[] {
    return this.#cassette.entries.flatMap((_, index) =>
      this.#entries.isUsed(index) ? [] : [this.#entryPlace(index)],
    );
  }

  get drifted(): readonly Drift[] {
    return [...this.#drifts.values()];
  }

  readonly layer: ToolLayer =
    (_next: Handler): Handler =>
    (call) =>
      Effect.sync(() => this.#replay(call));

  #replay(call: AuthorizedCall): Outcome {
    const found = this.#findEntry(toCassetteCall(call, this.#options));
    if (typeof found !== "number") {
      this.missed.push(found);
      call.recorder.note("cassette: not on the tape");
      return this.#missOutcome(found);
    }
    const entry = this.#cassette.entries[found]!;
    this.answered += 1;
    call.recorder.note(`cassette: answered by entry ${found + 1} of the tape`);
    const now = definitionHash(call.spec);
    if (now !== entry.definition)
      this.#drifts.set(entry.tool, { tool: entry.tool, recorded: entry.definition, now });
    return replayOutcome(entry.outcome);
  }

  #findEntry(call: CassetteCall): number | Miss {
    try {
      const taken = this.#entries.take(call);
      if (taken !== undefined) return taken;
      const placeOf = (index: number): Place => this.#entryPlace(index);
      return findMiss({ call, entries: this.#entries, options: this.#options, placeOf });
    } catch (error) {
      const said = this.#options.redactor.value(error instanceof Error ? error.message : String(error));
      const why = `the match function threw: ${said}`;
      return { tool: call.tool, callId: call.callId, arguments: "[not compared]", why };
    }
  }

  #missOutcome({ tool, why, nearest }: Miss): Outcome {
    const message = `The cassette ${this.#path} has no answer for this call of "${tool}": ${why}.`;
    const detail = nearest === undefined || nearest.diff === "" ? {} : { detail: nearest.diff };
    return failed({ code: "failed", tool, message, retryable: false, ran: false, ...detail });
  }

  #entryPlace(index: number): Place {
    const { tool } = this.#cassette.entries[index]!;
    return { tool, pointer: `/entries/${index}`, line: this.#cassette.lines[index] ?? 1 };
  }
}

const maxComparedEntries = 100;

interface MissContext {
  readonly call: CassetteCall;
  readonly entries: CassetteEntries;
  readonly options: ParsedCassetteOptions;
  readonly placeOf: (index: number) => Place;
}

const findMiss = ({ call, entries, options, placeOf }: MissContext): Miss => {
  const { redactor, steps } = options;
  const maskedArguments = redactor.value(withoutIgnored(call.arguments, steps, "[ignored]"));
  const common = { tool: call.tool, callId: call.callId, arguments: maskedArguments };
  const indexes = entries.entries.map((_, index) => index);
  const equal = indexes.filter((index) => entries.fits(call, index));
  const laterEntry = equal.find((index) => !entries.isUsed(index));
  if (laterEntry !== undefined) {
    const first = placeOf(entries.next!);
    const why = `it is in the cassette (line ${placeOf(laterEntry).line}), but "${first.tool}" (line ${first.line}) comes before it`;
    return { ...common, why, nearest: { entry: placeOf(laterEntry), diff: "" } };
  }
  if (equal.length > 0) {
    const times = equal.length === 1 ? "once" : `${equal.length} times`;
    const why = `it is in the cassette only ${times}, and was already answered`;
    return { ...common, why, nearest: { entry: placeOf(equal[0]!), diff: "" } };
  }
  const nearestEntry = findNearestEntry(maskedArguments, call.tool, entries);
  if (nearestEntry === undefined) {
    const tools = [...new Set(entries.entries.map(({ tool }) => `"${tool}"`))].join(", ");
    return { ...common, why: `the cassette has no call of this tool. It has ${tools || "no calls"}` };
  }
  const isMasked = nearestEntry.diff === "";
  const why = isMasked ? "the arguments differ in masked secrets" : "the arguments differ";
  return { ...common, why, nearest: { entry: placeOf(nearestEntry.index), diff: nearestEntry.diff } };
};

const findNearestEntry = (
  actual: unknown,
  tool: string,
  tape: CassetteEntries,
): { index: number; diff: string } | undefined => {
  let best: { index: number; diff: string; cost: number } | undefined;
  let compared = 0;
  for (let index = 0; index < tape.entries.length && compared < maxComparedEntries; index++) {
    const entry = tape.entries[index]!;
    if (entry.tool !== tool) continue;
    compared += 1;
    const diff = textDiff(toIndentedJson(entry.arguments), toIndentedJson(actual));
    const cost = (diff.match(/^[+-]/gm)?.length ?? 0) + (tape.isUsed(index) ? 0.5 : 0);
    if (best === undefined || cost < best.cost) best = { index, diff, cost };
  }
  return best;
};

const toIndentedJson = (value: unknown): string => JSON.stringify(value, null, 2) ?? "null";
