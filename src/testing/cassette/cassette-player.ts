import * as Effect from "effect/Effect";
import { textDiff } from "../../base/text/line-diff.ts";
import { definitionHash } from "../../tools/definition-hash.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import type { Handler, ToolLayer } from "../../types/layer.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import { CassetteEntries } from "./cassette-entries.ts";
import type { CassetteCall, ParsedCassetteOptions } from "./cassette-options.ts";
import { withoutIgnored } from "./ignored-arguments.ts";
import type { ParsedCassetteFile } from "./read-cassette-file.ts";
import { replayOutcome } from "./recorded-outcome.ts";
import type { Drift, Miss, Place } from "./report.ts";
import { toCassetteCall } from "./to-cassette-call.ts";

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
