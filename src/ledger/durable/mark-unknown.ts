import { canonicalJson } from "../../base/json/canonical-json.ts";
import type { EntryState } from "./entry-state.ts";
import type { Transaction } from "./transaction.ts";

const unknownBody = canonicalJson({ ending: "unknown" });

/** The tool may have run, so the call is never repeated automatically. */
export const markUnknown = (transaction: Transaction, entry: EntryState, at: number): void => {
  const { entryId, runId } = entry;
  const seq = transaction.append({
    at,
    kind: "lost",
    entryId,
    runId,
    body: transaction.behind(entry, unknownBody),
  });
  transaction.change(entry, { ending: "unknown", lastSeq: seq, closedAt: at });
};
