import type { Row, Script } from "../database.ts";
import type { EntryState } from "../entry-state.ts";
import type { Transaction } from "../transaction.ts";

/** The closing row proves that the code did not start. */
export function* releaseKeys(transaction: Transaction, entry: EntryState): Script<void> {
  transaction.change(entry, { keyed: false });
  yield { post: "DELETE FROM haft_keys WHERE entry_id = ?", values: [entry.entryId] };
}

export const keyReleasedKind = "key-released";

/** Must match the text in `checkKeys`. */
export const toReleasedBody = (keyedSeq: number): string => `{"keyed":${keyedSeq}}`;

export function* releaseKey(
  transaction: Transaction,
  holder: EntryState | undefined,
  key: Row,
  at: number,
): Script<void> {
  if (holder !== undefined) {
    const { entryId, runId } = holder;
    const body = toReleasedBody(Number(key.keyed_seq));
    transaction.mention(holder, transaction.append({ at, kind: keyReleasedKind, entryId, runId, body }));
  }
  yield { sql: "DELETE FROM haft_keys WHERE key_hash = ?", values: [key.key_hash ?? null] };
}

/** The parameter is the current time. The key of an unknown call is kept until the call is settled. */
export const holdsKeySql = (entry: string): string =>
  `${entry}.keyed = 1 AND EXISTS (SELECT 1 FROM haft_keys k WHERE k.entry_id = ${entry}.entry_id
    AND (${entry}.ending = 'unknown' OR (k.retention_ms IS NOT NULL AND ${entry}.closed_at + k.retention_ms > ?)))`;
