import * as Effect from "effect/Effect";
import { redactor } from "../json/redact.ts";
import type { Answered, ApprovalDecision, ApprovalQuery, ApprovalRecord } from "../words/approval.ts";
import type { ChainQuery, ChainRow, DurableLedger, Pruned, Verification } from "../words/durable-ledger.ts";
import type { LedgerEntry, LedgerQuery, Recalled } from "../words/ledger.ts";
import type { RunQuery, RunRecord, RunSummary } from "../words/run-book.ts";
import { openLedger as openStore } from "./open-ledger.ts";

export interface KeeperOptions {
  /** Opens exact texts; from the environment or the file beside the database unless named. */
  readonly key?: string;
  /** Values that are masked in whatever is written from here. */
  readonly secrets?: readonly string[];
}

/** A ledger in the hands of whoever keeps it: sees every caller's records, and answers for persons. */
export interface LedgerKeeper {
  /** To pass to `Haft.open`. */
  readonly store: DurableLedger;
  readonly entries: (query?: LedgerQuery) => Promise<readonly LedgerEntry[]>;
  /** One entry with its exact texts, as far as they are kept. */
  readonly recall: (entryId: string) => Promise<Recalled | undefined>;
  readonly rows: (query?: ChainQuery) => Promise<readonly ChainRow[]>;
  readonly verify: (options?: { readonly expect?: string }) => Promise<Verification>;
  readonly prune: (before: Date) => Promise<Pruned>;
  readonly approvals: (query?: ApprovalQuery) => Promise<readonly ApprovalRecord[]>;
  /** Records a person's word. Whoever has the tools goes on with the call, by `haft.resume(id)`. */
  readonly answer: (id: string, decision: ApprovalDecision, by?: string) => Promise<Answered>;
  readonly runs: (query?: RunQuery) => Promise<readonly RunSummary[]>;
  readonly run: (runId: string) => Promise<RunRecord | undefined>;
  readonly end: () => Promise<void>;
}

/** Opens `sqlite:./haft.db` or `postgres://…`, for reading, proving, answering and pruning. */
export const openLedger = async (place: string, options: KeeperOptions = {}): Promise<LedgerKeeper> => {
  const { key, secrets = [] } = options;
  const store = await openStore(place, {
    redactor: redactor({ secrets: () => secrets }),
    ...(key === undefined ? {} : { key }),
  });
  return keeperOf(store);
};

export const keeperOf = (store: DurableLedger): LedgerKeeper => ({
  store,
  entries: (query) => Effect.runPromise(store.entries(query)),
  recall: (entryId) => Effect.runPromise(store.recall(entryId)),
  rows: (query) => Effect.runPromise(store.rows(query)),
  verify: (options) => Effect.runPromise(store.verify(options)),
  prune: (before) => Effect.runPromise(store.prune(before.getTime())),
  approvals: (query) => Effect.runPromise(store.approvals.list(query)),
  answer: (id, decision, by) =>
    Effect.runPromise(store.approvals.answer(id, { decision, by, at: Date.now() })),
  runs: (query) => Effect.runPromise(store.runs.list(query)),
  run: (runId) => Effect.runPromise(store.runs.find(runId)),
  end: () => store.end(),
});
