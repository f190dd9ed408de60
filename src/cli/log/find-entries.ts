import type { DurableLedger } from "../../types/durable-ledger.ts";
import type { LedgerEntry } from "../../types/ledger.ts";
import { findById } from "../ledger/short-id.ts";
import { queryLedger } from "../ledger/with-ledger.ts";

const maxSearchedEntries = 10_000;

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
