import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { redactor } from "../json/redact.ts";
import { memoryLedger } from "../ledger/memory.ts";
import type { LedgerError } from "../words/errors.ts";
import type { LedgerStore } from "../words/ledger.ts";

/** A store that can do everything a runtime asks of one. */
export type WholeLedger = LedgerStore &
  Required<Pick<LedgerStore, "approvals" | "reserve" | "recall" | "runs">>;

const whole = new WeakMap<LedgerStore, WholeLedger>();

/** What a store leaves out lives in memory: questions to persons, callers' own keys, runs. One for each store. */
export const withBooks = (store: LedgerStore): WholeLedger => {
  if (isWhole(store)) return store;
  const before = whole.get(store);
  if (before !== undefined) return before;
  const made = complete(store);
  whole.set(store, made);
  return made;
};

const isWhole = (store: LedgerStore): store is WholeLedger =>
  [store.approvals, store.reserve, store.recall, store.runs].every((each) => each !== undefined);

const complete = (store: LedgerStore): WholeLedger => {
  const beside = memoryLedger({ redactor: redactor() });
  const { intend, end } = store;
  return {
    open: (opening) => both(store.open(opening), () => beside.open(opening)),
    close: (closing) => both(store.close(closing), () => beside.close(closing)),
    entries: (query) => store.entries(query),
    ...(intend === undefined ? {} : { intend: (intent) => intend.call(store, intent) }),
    ...(end === undefined ? {} : { end: () => end.call(store) }),
    approvals: store.approvals ?? beside.approvals,
    runs: store.runs ?? beside.runs,
    reserve: (claim) => (store.reserve === undefined ? beside.reserve(claim) : store.reserve(claim)),
    recall: (entryId) => (store.recall === undefined ? beside.recall(entryId) : store.recall(entryId)),
  };
};

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
