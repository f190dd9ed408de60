import * as Effect from "effect/Effect";
import type { LedgerError } from "../../words/errors.ts";
import type { KeyClaim, Recalled, Reservation } from "../../words/ledger.ts";
import { twice, unavailable } from "../refusals.ts";
import { refuseStale } from "./claims.ts";
import { toEntry } from "./entries.ts";
import type { MemoryState } from "./row.ts";

const calls = new WeakMap<object, string>();

/** Of several who ask for one key at once the first gets it: nobody is let in between. */
export const reserve = (state: MemoryState, claim: KeyClaim): Effect.Effect<Reservation, LedgerError> => {
  const row = state.rows.get(claim.entryId);
  const stale = row && refuseStale(state, row.opening.runId, claim.epoch);
  if (stale !== undefined) return Effect.fail(stale);
  if (row?.ending !== "open") return Effect.fail(twice("begun", claim.entryId));
  const reservation = reserved(state, claim);
  return reservation === undefined ? Effect.fail(full(state)) : Effect.succeed(reservation);
};

/** Nothing if there is no room for another key. */
const reserved = ({ rows, keys, mostKeys }: MemoryState, claim: KeyClaim): Reservation | undefined => {
  const { agent, user, tenant, key, entryId, tool, inputHash } = claim;
  const mine = rows.get(entryId)!;
  const name = JSON.stringify([tenant ?? null, user ?? null, agent, key]);
  const call = JSON.stringify([tool, inputHash]);
  const holder = keys.get(name);
  if (holder === undefined) {
    if (keys.size >= mostKeys) return undefined;
    keys.set(name, mine);
    mine.key = name;
    calls.set(mine, call);
    return { kind: "fresh" };
  }
  if (calls.get(holder) !== call) return { kind: "other" };
  if (holder === mine) return { kind: "fresh" };
  return { kind: "known", entryId: holder.opening.entryId, ending: holder.ending };
};

const full = ({ mostKeys }: MemoryState): LedgerError =>
  unavailable(
    `The ledger in memory stands for ${mostKeys} callers' keys already and forgets none of them, so no further call with ` +
      'a key is made. Use a ledger on disk: "sqlite:./haft.db".',
  );

/** Texts are exact as long as they were not cut. */
export const recall = (
  { rows, redactor, longest, parts }: MemoryState,
  entryId: string,
): Recalled | undefined => {
  const row = rows.get(entryId);
  if (row === undefined) return undefined;
  const { opening, hash, closing } = row;
  const result = closing?.result;
  return {
    entry: toEntry(row, redactor),
    input: hash === undefined ? opening.input : undefined,
    result: result === undefined || result.length > longest ? undefined : result,
    ...(closing?.media === undefined ? {} : { parts: parts.of(entryId) }),
  };
};
