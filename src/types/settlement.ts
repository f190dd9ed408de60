import type { LedgerEntry } from "./ledger.ts";

/** `Settlement.by` of a tool's `reconcile`. */
export const reconcileActor = "reconcile";

/** Whether it is unknown if the call took effect: its process died, or its code failed after it started. */
export const isUnsettled = ({
  ending,
  ran,
  settlement,
}: Pick<LedgerEntry, "ending" | "ran" | "settlement">): boolean =>
  settlement === undefined && (ending === "unknown" || (ending === "failed" && ran === true));

/** For operators only: text for models contains no ids and no commands. */
export const settleInstructions = (entryId: string, flags: string): string =>
  `Find out whether it took effect, then: haft settle ${entryId}${flags} --took-effect [--result JSON], or haft settle ${entryId}${flags} --did-not`;
