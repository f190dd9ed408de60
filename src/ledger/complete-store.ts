import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { redactor } from "../base/json/redact.ts";
import type { LedgerError } from "../types/errors.ts";
import type { EntryTexts, LedgerStore, Masking } from "../types/ledger.ts";
import { createJointMasking, maskClosing, maskIntent, maskOpening } from "./mask-entry.ts";
import { memoryLedger } from "./memory.ts";

export type CompleteLedgerStore = LedgerStore &
  Required<Pick<LedgerStore, "approvals" | "reserve" | "recall" | "runs">>;

type MaskedLedgerStore = CompleteLedgerStore & Required<Pick<LedgerStore, "alsoMask">>;

const completedStores = new WeakMap<LedgerStore, MaskedLedgerStore>();

/** Adds the parts that a store lacks in memory. The result is cached per store. */
export const completeStore = (store: LedgerStore, masking?: Masking): CompleteLedgerStore => {
  if (isCompleteStore(store) && (store.alsoMask !== undefined || masking === undefined)) return store;
  const completed = completedStores.get(store) ?? addMissingParts(store);
  completedStores.set(store, completed);
  // A store shared by several runtimes masks the secrets of all of them.
  if (masking !== undefined && store.alsoMask === undefined) completed.alsoMask(masking);
  return completed;
};

const isCompleteStore = (store: LedgerStore): store is CompleteLedgerStore =>
  [store.approvals, store.reserve, store.recall, store.runs].every((each) => each !== undefined);

const addMissingParts = (store: LedgerStore): MaskedLedgerStore => {
  const memoryStore = memoryLedger({ redactor: redactor() });
  const { intend, end, settle, alsoMask } = store;
  const { masking, add } = createJointMasking(redactor());
  const mask = <A>(row: A, masked: (row: A, by: Masking) => A): A =>
    alsoMask === undefined ? masked(row, masking) : row;
  return {
    ...(store.place === undefined ? {} : { place: store.place }),
    open: (opening) => writeToBoth(store.open(mask(opening, maskOpening)), () => memoryStore.open(opening)),
    close: (closing) =>
      writeToBoth(store.close(mask(closing, maskClosing)), () => memoryStore.close(closing)),
    entries: (query) => store.entries(query),
    ...(intend === undefined ? {} : { intend: (intent) => intend.call(store, mask(intent, maskIntent)) }),
    ...(end === undefined ? {} : { end: () => end.call(store) }),
    ...(settle === undefined
      ? {}
      : { settle: (request) => Effect.tap(settle.call(store, request), () => memoryStore.settle(request)) }),
    approvals: store.approvals ?? memoryStore.approvals,
    runs: store.runs ?? memoryStore.runs,
    reserve: (claim) => (store.reserve === undefined ? memoryStore.reserve(claim) : store.reserve(claim)),
    recall: (entryId) => {
      const exact = memoryStore.recall(entryId);
      return store.recall === undefined
        ? exact
        : Effect.zipWith(store.recall(entryId), exact, mergeExactTexts);
    },
    alsoMask: alsoMask === undefined ? add : (more) => alsoMask.call(store, more),
  };
};

/** Exact texts are available only while this process runs. */
const mergeExactTexts = (
  kept: EntryTexts | undefined,
  exact: EntryTexts | undefined,
): EntryTexts | undefined =>
  kept === undefined
    ? undefined
    : { ...kept, input: exact?.input ?? kept.input, result: exact?.result ?? kept.result };

const ignoreResult = { onSuccess: () => {}, onFailure: () => {} };

const writeToBoth = (
  first: Effect.Effect<void, LedgerError>,
  then: () => Effect.Effect<void, LedgerError>,
): Effect.Effect<void, LedgerError> => {
  if (!Exit.isExit(first)) return Effect.flatMap(first, () => Effect.matchCause(then(), ignoreResult));
  if (Exit.isSuccess(first)) then();
  return first;
};
