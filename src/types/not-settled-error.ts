import { ToolIdempotencyError } from "./errors.ts";
import type { LedgerEntry, SettlementResult } from "./ledger.ts";

export type NotSettledKind = Exclude<SettlementResult["kind"], "done">;

const notSettledReasons: Readonly<Record<NotSettledKind, string>> = {
  missing: "it is not in the ledger. haft log --ending unknown lists calls whose effect is unknown",
  running: "it is still running",
  pending: "it is pending. Answer its approval request with haft approve or haft deny",
  settled: "it was settled before",
  known: "its outcome is known",
};

export const notSettledError = (
  { entryId }: Pick<LedgerEntry, "entryId">,
  kind: NotSettledKind,
): ToolIdempotencyError =>
  new ToolIdempotencyError(
    "not_settled",
    `The call ${entryId} cannot be settled: ${notSettledReasons[kind]}.`,
  );
