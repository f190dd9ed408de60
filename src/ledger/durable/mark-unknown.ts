import { canonicalJson } from "../../base/json/canonical-json.ts";
import type { EntryState } from "./entry-state.ts";
import type { Transaction } from "./transaction.ts";

const unknownBody = canonicalJson({ ending: "unknown" });

/** Ends an entry as `unknown`: it may have run, and nobody can say. Nobody ever makes such a call again by itself. */
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
