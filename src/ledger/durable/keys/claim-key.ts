import { hashJson, hashText } from "../../../base/json/canonical-json.ts";
import type { KeyClaim, Reservation } from "../../../types/ledger.ts";
import { entryStateError, ledgerUnavailable } from "../../ledger-errors.ts";
import { isKnownEnding } from "../../settled-closing.ts";
import { uniqueKeyParts } from "../../unique-key-parts.ts";
import { isTrustedRow, withPreviousHash } from "../chain/chain-keys.ts";
import type { Row, Script } from "../database.ts";
import type { DurableStore } from "../durable-store.ts";
import type { EntryState } from "../entry-state.ts";
import type { Operation } from "../group-writer.ts";
import { toEntryEnding } from "../stored-ending.ts";
import type { Transaction } from "../transaction.ts";
import { leasedRunOf, requireLease } from "../write-entries.ts";
import { releaseKey } from "./release-key.ts";

const keyColumns = ["key_hash", "entry_id", "call_hash", "keyed_seq", "retention_ms"];

/** Must match the text in `checkKeys`. */
const toKeyedBody = (keyHash: string, callHash: string, retentionMs: number | null): string =>
  `{"call":"${callHash}","key":"${keyHash}"${retentionMs === null ? "" : `,"retention":${retentionMs}`}}`;

export const claimKey = (store: DurableStore, claim: KeyClaim): Operation<Reservation> => {
  const { entryId, epoch, at, effect } = claim;
  const keyHash = hashJson(uniqueKeyParts(claim));
  const callHash = hashText(`${claim.tool}\n${claim.inputHash}`);
  const retentionMs = effect === undefined ? null : Math.ceil(effect.retentionMs);
  return {
    entryIds: [entryId],
    claims: leasedRunOf(entryId, epoch),
    *run(transaction) {
      const mine = transaction.known(entryId);
      if (mine !== undefined) yield* requireLease(store, transaction, mine, epoch);
      if (mine?.ending !== "open") throw entryStateError("begun", entryId);
      const [key] = yield { sql: "SELECT * FROM haft_keys WHERE key_hash = ?", values: [keyHash] };
      const holder = key === undefined ? undefined : yield* transaction.entry(String(key.entry_id));
      if (key !== undefined && holder !== undefined && holder !== mine && !isExpired(key, holder, at)) {
        if (effect !== undefined && mine.keyed) yield* releaseEffectKeys(transaction, mine, at);
        if (key.call_hash !== callHash) return { kind: "other", entryId: holder.entryId };
        // An open holder may not have its row yet.
        if (holder.ending !== "open") yield* checkKeyRow(store, key, keyHash, callHash);
        return { kind: "known", entryId: holder.entryId, ending: toEntryEnding(holder.ending) };
      }
      if (holder === mine && (effect === undefined || key?.call_hash === callHash)) return { kind: "fresh" };
      if (key !== undefined) yield* releaseKey(transaction, holder, key, at);
      if (effect !== undefined && mine.keyed) yield* releaseEffectKeys(transaction, mine, at);
      const body = toKeyedBody(keyHash, callHash, retentionMs);
      const seq = transaction.append({ at, kind: "keyed", entryId, runId: mine.runId, body });
      const row = [keyHash, entryId, callHash, seq, retentionMs];
      yield { insert: "haft_keys", columns: keyColumns, rows: [row] };
      transaction.change(mine, { keyed: true });
      return { kind: "fresh" };
    },
  };
};

/**
 * A replay opens another caller's sealed result, so the row must match the chain, which cannot be forged
 * without the key.
 */
function* checkKeyRow(
  { chainKeys }: DurableStore,
  key: Row,
  keyHash: string,
  callHash: string,
): Script<void> {
  const [row] = yield {
    sql: withPreviousHash("SELECT * FROM haft_records WHERE seq = ?"),
    values: [key.keyed_seq ?? null],
  };
  const retentionMs = typeof key.retention_ms === "number" ? key.retention_ms : null;
  const body = toKeyedBody(keyHash, callHash, retentionMs);
  const isRight = row?.kind === "keyed" && row.entry_id === key.entry_id && row.body === body;
  if (row === undefined || !isRight || !(yield* isTrustedRow(chainKeys, row))) {
    throw ledgerUnavailable(
      "The row of an idempotency key in haft_keys does not match the ledger's chain: it was changed. Run haft log --verify.",
    );
  }
}

/** Keys of running, pending and unknown calls never expire. */
const isExpired = ({ retention_ms }: Row, { ending, closedAt }: EntryState, at: number): boolean =>
  typeof retention_ms === "number" &&
  isKnownEnding(ending) &&
  closedAt !== null &&
  closedAt + retention_ms <= at;

/** Edited arguments have another key. */
function* releaseEffectKeys(transaction: Transaction, entry: EntryState, at: number): Script<void> {
  const keys = yield {
    sql: "SELECT key_hash, keyed_seq FROM haft_keys WHERE entry_id = ? AND retention_ms IS NOT NULL",
    values: [entry.entryId],
  };
  for (const key of keys) yield* releaseKey(transaction, entry, key, at);
}
