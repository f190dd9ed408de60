import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { redactor } from "../json/redact.ts";
import type { LedgerError } from "../words/errors.ts";
import type { LedgerStore, Masking, Recalled } from "../words/ledger.ts";
import { jointMasking } from "./joint-masking.ts";
import { maskClosing, maskIntent, maskOpening } from "./masked.ts";
import { memoryLedger } from "./memory.ts";

/** A store that can do everything a runtime asks of one. */
export type WholeLedger = LedgerStore &
  Required<Pick<LedgerStore, "approvals" | "reserve" | "recall" | "runs">>;

type MaskedLedger = WholeLedger & Required<Pick<LedgerStore, "alsoMask">>;

const whole = new WeakMap<LedgerStore, MaskedLedger>();

/**
 * What a store leaves out lives in memory: questions to persons, callers' own keys, runs, and the exact texts of a store
 * that does not mask by itself and so is handed masked rows. One for each store.
 */
export const withBooks = (store: LedgerStore, masking?: Masking): WholeLedger => {
  if (isWhole(store) && (store.alsoMask !== undefined || masking === undefined)) return store;
  const made = whole.get(store) ?? complete(store);
  whole.set(store, made);
  // A store that several runtimes write to shows the secrets of none of them.
  if (masking !== undefined && store.alsoMask === undefined) made.alsoMask(masking);
  return made;
};

const isWhole = (store: LedgerStore): store is WholeLedger =>
  [store.approvals, store.reserve, store.recall, store.runs].every((each) => each !== undefined);

const complete = (store: LedgerStore): MaskedLedger => {
  const beside = memoryLedger({ redactor: redactor() });
  const { intend, end, alsoMask } = store;
  const { masking, add } = jointMasking(redactor());
  const mask = <A>(row: A, masked: (row: A, by: Masking) => A): A =>
    alsoMask === undefined ? masked(row, masking) : row;
  return {
    open: (opening) => both(store.open(mask(opening, maskOpening)), () => beside.open(opening)),
    close: (closing) => both(store.close(mask(closing, maskClosing)), () => beside.close(closing)),
    entries: (query) => store.entries(query),
    ...(intend === undefined ? {} : { intend: (intent) => intend.call(store, mask(intent, maskIntent)) }),
    ...(end === undefined ? {} : { end: () => end.call(store) }),
    approvals: store.approvals ?? beside.approvals,
    runs: store.runs ?? beside.runs,
    reserve: (claim) => (store.reserve === undefined ? beside.reserve(claim) : store.reserve(claim)),
    recall: (entryId) => {
      const exact = beside.recall(entryId);
      return store.recall === undefined ? exact : Effect.zipWith(store.recall(entryId), exact, withTexts);
    },
    alsoMask: alsoMask === undefined ? add : (more) => alsoMask.call(store, more),
  };
};

/** The row as the store has it, with the exact texts as long as this process has them. */
const withTexts = (kept: Recalled | undefined, exact: Recalled | undefined): Recalled | undefined =>
  kept === undefined
    ? undefined
    : { ...kept, input: exact?.input ?? kept.input, result: exact?.result ?? kept.result };

const over = { onSuccess: () => {}, onFailure: () => {} };

/** The store comes first, and it alone says whether something is written. */
const both = (
  first: Effect.Effect<void, LedgerError>,
  then: () => Effect.Effect<void, LedgerError>,
): Effect.Effect<void, LedgerError> => {
  if (!Exit.isExit(first)) return Effect.flatMap(first, () => Effect.matchCause(then(), over));
  if (Exit.isSuccess(first)) then();
  return first;
};
