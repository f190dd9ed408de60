import { textDiff } from "../../base/text/line-diff.ts";
import type { CassetteEntries } from "./cassette-entries.ts";
import type { CassetteCall, ParsedCassetteOptions } from "./cassette-options.ts";
import { withoutIgnored } from "./ignored-arguments.ts";
import type { Miss, Place } from "./report.ts";

const maxComparedEntries = 100;

interface MissContext {
  readonly call: CassetteCall;
  readonly entries: CassetteEntries;
  readonly options: ParsedCassetteOptions;
  readonly placeOf: (index: number) => Place;
}

export const findMiss = ({ call, entries, options, placeOf }: MissContext): Miss => {
  const { redactor, steps } = options;
  const maskedArguments = redactor.value(withoutIgnored(call.arguments, steps, "[ignored]"));
  const common = { tool: call.tool, callId: call.callId, arguments: maskedArguments };
  const indexes = entries.entries.map((_, index) => index);
  const equal = indexes.filter((index) => entries.fits(call, index));
  const laterEntry = equal.find((index) => !entries.isUsed(index));
  if (laterEntry !== undefined) {
    const first = placeOf(entries.next!);
    const why = `it is on the tape (line ${placeOf(laterEntry).line}), but "${first.tool}" (line ${first.line}) comes before it`;
    return { ...common, why, nearest: { entry: placeOf(laterEntry), diff: "" } };
  }
  if (equal.length > 0) {
    const times = equal.length === 1 ? "once" : `${equal.length} times`;
    const why = `it is on the tape ${times} only, and was answered already`;
    return { ...common, why, nearest: { entry: placeOf(equal[0]!), diff: "" } };
  }
  const nearestEntry = findNearestEntry(maskedArguments, call.tool, entries);
  if (nearestEntry === undefined) {
    const tools = [...new Set(entries.entries.map(({ tool }) => `"${tool}"`))].join(", ");
    return { ...common, why: `the tape has no call of this tool. It has ${tools || "no calls at all"}` };
  }
  const isMasked = nearestEntry.diff === "";
  const why = isMasked ? "the arguments differ where secrets are masked" : "the arguments differ";
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
