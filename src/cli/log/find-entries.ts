import type { DurableLedger } from "../../types/durable-ledger.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import { findById } from "../ledger/short-id.ts";
import { queryLedger } from "../ledger/with-ledger.ts";

/** A shortened id is looked for among this many of the newest calls. */
const maxSearchedEntries = 10_000;

/** The calls that a typed id may mean: an entry, the id that a model gave, or the beginning of an entry's id. */
export const findEntries = async (ledger: DurableLedger, typed: string): Promise<readonly LedgerEntry[]> => {
  const byEntry = await queryLedger(ledger.entries({ entryId: typed }));
  if (byEntry.length > 0) return byEntry;
  const byCall = await queryLedger(ledger.entries({ callId: typed }));
  if (byCall.length > 0) return byCall;
  return findById(
    typed,
    await queryLedger(ledger.entries({ limit: maxSearchedEntries })),
    ({ entryId }) => entryId,
  );
};
