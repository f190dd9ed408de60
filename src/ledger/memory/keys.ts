import * as Effect from "effect/Effect";
import type { LedgerError } from "../../types/errors.ts";
import type { EntryTexts, KeyClaim, Reservation } from "../../types/ledger.ts";
import { entryStateError, ledgerUnavailable } from "../ledger-errors.ts";
import { isFinalEnding, isKnownEnding } from "../settled-closing.ts";
import { uniqueKeyParts } from "../unique-key-parts.ts";
import { type MemoryKey, type MemoryRow, type MemoryState, toMemoryEntry } from "./memory-row.ts";
import { checkLease } from "./runs.ts";

export const noKeyNames: readonly string[] = Object.freeze([]);

export const reserveMemoryKey = (
  state: MemoryState,
  claim: KeyClaim,
): Effect.Effect<Reservation, LedgerError> => {
  const row = state.rows.get(claim.entryId);
  const stale = row && checkLease(state, row.opening.runId, claim.epoch);
  if (stale !== undefined) return Effect.fail(stale);
  if (row?.ending !== "open") return Effect.fail(entryStateError("begun", claim.entryId));
  const reservation = tryReserve(state, row, claim);
  return reservation === undefined ? Effect.fail(keysFullError(state)) : Effect.succeed(reservation);
};

const tryReserve = (state: MemoryState, row: MemoryRow, claim: KeyClaim): Reservation | undefined => {
  const { keys, mostKeys } = state;
  const { effect, tool, inputHash, at } = claim;
  const name = JSON.stringify(uniqueKeyParts(claim));
  const call = JSON.stringify([tool, inputHash]);
  const key = keys.get(name);
  if (key !== undefined && key.row !== row && !isExpired(key, at)) {
    const { entryId } = key.row.opening;
    if (effect !== undefined) releaseEffectKeys(state, row);
    return key.call === call
      ? { kind: "known", entryId, ending: key.row.ending }
      : { kind: "other", entryId };
  }
  if (key?.row === row && (effect === undefined || key.call === call)) return { kind: "fresh" };
  if (key !== undefined) releaseMemoryKey(state, name, key);
  if (effect !== undefined) releaseEffectKeys(state, row);
  if (keys.size >= mostKeys)
    for (const [old, each] of keys) if (isExpired(each, at)) releaseMemoryKey(state, old, each);
  if (keys.size >= mostKeys) return undefined;
  keys.set(name, { row, call, retentionMs: effect?.retentionMs });
  row.keys = [...row.keys, name];
  return { kind: "fresh" };
};

/** Keys of running, pending and unknown calls never expire. */
const isExpired = ({ row, retentionMs }: MemoryKey, at: number): boolean =>
  retentionMs !== undefined && isKnownEnding(row.ending) && (row.closedAt ?? at) + retentionMs <= at;

/** Edited arguments have another key. */
const releaseEffectKeys = (state: MemoryState, row: MemoryRow): void => {
  for (const name of row.keys) {
    const key = state.keys.get(name);
    if (key?.retentionMs !== undefined) releaseMemoryKey(state, name, key);
  }
};

const releaseMemoryKey = ({ keys, archive }: MemoryState, name: string, { row }: MemoryKey): void => {
  keys.delete(name);
  row.keys = row.keys.filter((each) => each !== name);
  if (row.keys.length === 0 && isFinalEnding(row.ending)) archive(row);
};

const keysFullError = ({ mostKeys }: MemoryState): LedgerError =>
  ledgerUnavailable(
    `The in-memory ledger has reached its limit of ${mostKeys} keys and does not evict any, so no further call with ` +
      'a key can run. Use a ledger on disk: "sqlite:./haft.db".',
  );

export const recallMemoryEntry = (
  { rows, redactor, longest, parts }: MemoryState,
  entryId: string,
): EntryTexts | undefined => {
  const row = rows.get(entryId);
  if (row === undefined) return undefined;
  const { opening, hash, closing } = row;
  const result = closing?.result;
  return {
    entry: toMemoryEntry(row, redactor),
    input: hash === undefined ? opening.input : undefined,
    result: result === undefined || result.length > longest ? undefined : result,
    ...(closing?.media === undefined ? {} : { parts: parts.of(entryId) }),
  };
};
