import type { RawCall } from "./call.ts";
import type { FinishReason } from "./model.ts";

/** Reasons for which a reply ends before the model is done. */
const incompleteFinishes: ReadonlySet<FinishReason> = new Set<FinishReason>(["length", "filter", "refusal"]);

export const isIncompleteFinish = (finish: FinishReason | undefined): boolean =>
  finish !== undefined && incompleteFinishes.has(finish);

/** Calls of a reply that was cut off, filtered or refused are not made, however complete they look: more may have belonged to them. */
export const markIncompleteCalls = (
  calls: readonly RawCall[],
  finish: FinishReason | undefined,
): readonly RawCall[] =>
  isIncompleteFinish(finish)
    ? calls.map((call) => (call.providerExecuted === true ? call : { ...call, finish: "incomplete" }))
    : calls;
