import { textDiff } from "../../text/line-diff.ts";
import { withoutIgnored } from "./ignored.ts";
import type { CassetteCall, ReadOptions } from "./options.ts";
import type { Miss, Place } from "./report.ts";
import type { TapeEntries } from "./tape-entries.ts";

/** Of very many entries only the first are compared, because a test should fail soon. */
const mostCompared = 100;

interface MissingEntry {
  readonly call: CassetteCall;
  readonly entries: TapeEntries;
  readonly options: ReadOptions;
  readonly placeOf: (index: number) => Place;
}

/** Why the tape has no answer, in words from which its reader can go on. */
export const findMiss = ({ call, entries, options, placeOf }: MissingEntry): Miss => {
  const { redactor, steps } = options;
  const asked = redactor.value(withoutIgnored(call.arguments, steps, "[ignored]"));
  const common = { tool: call.tool, callId: call.callId, arguments: asked };
  const indexes = entries.entries.map((_, index) => index);
  const equal = indexes.filter((index) => entries.fits(call, index));
  const early = equal.find((index) => !entries.isUsed(index));
  if (early !== undefined) {
    const first = placeOf(entries.next!);
    const why = `it is on the tape (line ${placeOf(early).line}), but "${first.tool}" (line ${first.line}) comes before it`;
    return { ...common, why, nearest: { entry: placeOf(early), diff: "" } };
  }
  if (equal.length > 0) {
    const times = equal.length === 1 ? "once" : `${equal.length} times`;
    const why = `it is on the tape ${times} only, and was answered already`;
    return { ...common, why, nearest: { entry: placeOf(equal[0]!), diff: "" } };
  }
  const alike = nearest(asked, call.tool, entries);
  if (alike === undefined) {
    const tools = [...new Set(entries.entries.map(({ tool }) => `"${tool}"`))].join(", ");
    return { ...common, why: `the tape has no call of this tool. It has ${tools || "no calls at all"}` };
  }
  const isMasked = alike.diff === "";
  const why = isMasked ? "the arguments differ where secrets are masked" : "the arguments differ";
  return { ...common, why, nearest: { entry: placeOf(alike.index), diff: alike.diff } };
};

const nearest = (
  asked: unknown,
  tool: string,
  tape: TapeEntries,
): { index: number; diff: string } | undefined => {
  let best: { index: number; diff: string; cost: number } | undefined;
  let compared = 0;
  for (let index = 0; index < tape.entries.length && compared < mostCompared; index++) {
    const entry = tape.entries[index]!;
    if (entry.tool !== tool) continue;
    compared += 1;
    const diff = textDiff(inLines(entry.arguments), inLines(asked));
    // An entry that was used already is less likely to be the one that was meant.
    const cost = (diff.match(/^[+-]/gm)?.length ?? 0) + (tape.isUsed(index) ? 0.5 : 0);
    if (best === undefined || cost < best.cost) best = { index, diff, cost };
  }
  return best;
};

const inLines = (value: unknown): string => JSON.stringify(value, null, 2) ?? "null";
