import * as Effect from "effect/Effect";
import type { ApprovalRecord } from "../../../src/types/approval.ts";
import type { LedgerError } from "../../../src/types/errors.ts";
import type { EntryClosing, EntryOpening, KeyClaim, LedgerStore } from "../../../src/types/ledger.ts";

/** The store under test knows this secret, as from `credentials`, and masks it. */
export const ledgerSecret = "canary-3e81-do-not-print";

/** What the pipeline writes before it processes a call. */
export const createOpening = (entryId: string, more: Partial<EntryOpening> = {}): EntryOpening => ({
  entryId,
  callId: `call-${entryId}`,
  runId: "run-1",
  tool: "work",
  input: '{"city":"Oslo"}',
  agent: "tester",
  session: undefined,
  correlationId: undefined,
  at: 1_000,
  ...more,
});

export const createClosing = (entryId: string, more: Partial<EntryClosing> = {}): EntryClosing => ({
  entryId,
  ending: "executed",
  tool: "work",
  code: undefined,
  message: undefined,
  decision: "rule-1: allowed",
  flow: "continue",
  result: '{"celsius":21}',
  original: undefined,
  notes: [],
  durationMs: 2.5,
  ...more,
});

/** An approval request for an entry. */
export const createApprovalRecord = (
  id: string,
  entryId: string,
  more: Partial<ApprovalRecord> = {},
): ApprovalRecord => ({
  id,
  entryId,
  callId: `call-${entryId}`,
  runId: "run-1",
  tool: "ns/work",
  rawTool: "work",
  principal: { agent: "tester", session: "s-1", user: "ada", tenant: "acme" },
  input: { city: "Oslo" },
  inputHash: "input-hash",
  definition: "definition-hash",
  reason: "it writes",
  askedAt: 1_000,
  expiresAt: undefined,
  status: "waiting",
  ...more,
});

export const createKeyClaim = (key: string, entryId: string, more: Partial<KeyClaim> = {}): KeyClaim => ({
  key,
  entryId,
  tool: "ns/work",
  inputHash: "input-hash",
  agent: "tester",
  user: undefined,
  tenant: undefined,
  at: 1_000,
  ...more,
});

export const runLedgerEffect = <A>(effect: Effect.Effect<A, LedgerError>): Promise<A> =>
  Effect.runPromise(effect);

export const runToLedgerError = <A>(effect: Effect.Effect<A, LedgerError>): Promise<LedgerError> =>
  Effect.runPromise(Effect.flip(effect));

/** A store with all optional methods. */
export type FullLedgerStore = Required<Omit<LedgerStore, "intend" | "end" | "place">>;

export type CreateLedgerStore = () => FullLedgerStore | Promise<FullLedgerStore>;

/** Opens an entry that is then pending. */
export const openPendingEntry = async (store: FullLedgerStore, record: ApprovalRecord): Promise<void> => {
  const { entryId, runId, callId } = record;
  await runLedgerEffect(
    store.open(createOpening(entryId, { runId, callId, input: JSON.stringify(record.input) })),
  );
  const waiting = { ending: "pending", result: undefined, flow: undefined, approval: record } as const;
  await runLedgerEffect(store.close(createClosing(entryId, waiting)));
};
