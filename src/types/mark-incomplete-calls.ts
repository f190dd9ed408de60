import type { RawCall } from "./call.ts";
import type { FinishReason } from "./model.ts";

const incompleteFinishes: ReadonlySet<FinishReason> = new Set<FinishReason>(["length", "filter", "refusal"]);

export const isIncompleteFinish = (finish: FinishReason | undefined): boolean =>
  finish !== undefined && incompleteFinishes.has(finish);

/**
 * Marks the calls of a cut-off, filtered or refused reply as incomplete, so that they do not run: further
 * calls may have belonged to them.
 */
export const markIncompleteCalls = (
  calls: readonly RawCall[],
  finish: FinishReason | undefined,
): readonly RawCall[] =>
  isIncompleteFinish(finish)
    ? calls.map((call) => (call.providerExecuted === true ? call : { ...call, finish: "incomplete" }))
    : calls;
