import * as Effect from "effect/Effect";
import type { ApprovalRecord, ApprovalRequest } from "../../words/approval.ts";
import { isJournaledId } from "../../words/call.ts";
import type { LedgerError } from "../../words/errors.ts";
import type { Recalled } from "../../words/ledger.ts";
import { type Outcome, pending, type Suspension } from "../../words/outcome.ts";
import type { CallServices } from "../call-services.ts";
import type { GrantedCall } from "../call-state.ts";

/**
 * A call whose code was stopped because calls of its own wait for a person. It waits under an approval of its own, which no
 * person needs to answer: it counts as answered once one of the questions about its calls is. So of several who go on at
 * once one wins, as with any call that waits.
 */
export const toSuspended = (services: CallServices, call: GrantedCall, suspension: Suspension): Outcome => {
  const { request, registration, principal, input, clock } = call;
  const asked: ApprovalRequest = {
    id: services.newId(),
    callId: request.raw.id,
    runId: request.scope.id,
    tool: registration.key,
    principal,
    input,
    reason: `its code waits for a person's answer about ${toNames(suspension.waitsFor)}`,
    askedAt: clock.currentTimeMillisUnsafe(),
  };
  return pending(asked, suspension);
};

const toNames = (requests: readonly ApprovalRequest[]): string =>
  [...new Set(requests.map(({ tool }) => `"${tool}"`))].join(", ");

/** What was kept of code that was stopped. */
export interface KeptSuspension {
  /** Ids of the questions about its calls. */
  readonly waitsFor: readonly string[];
  readonly journal: string;
}

/** What the ledger kept of code that was stopped; nothing for a call that waits before its code was started. */
export const suspensionOf = (kept: Recalled | undefined): KeptSuspension | undefined => {
  if (kept?.result === undefined || kept.entry.attempts?.at(-1)?.ending !== "suspended") return undefined;
  return JSON.parse(kept.result) as KeptSuspension;
};

/** The code that made a call and keeps a journal of it: it runs, or waits under this approval. */
export type JournalKeeper =
  | { readonly kind: "runs" }
  | { readonly kind: "waits"; readonly record: ApprovalRecord };

/** Who alone goes on with a call, if it was made by code that keeps a journal and has not come to its end. */
export const findJournalKeeper = (
  { ledger, approvals }: CallServices,
  { callId, runId, entryId }: ApprovalRecord,
): Effect.Effect<JournalKeeper | undefined, LedgerError> =>
  Effect.gen(function* () {
    const own = yield* ledger.recall?.(entryId) ?? nothing;
    const parentId = own?.entry.parentId;
    if (parentId === undefined || !isJournaledId(callId, parentId)) return undefined;
    const [parent] = yield* ledger.entries({ entryId: parentId });
    if (parent?.ending === "open") return { kind: "runs" };
    if (parent?.ending !== "pending") return undefined;
    const asked = yield* approvals.list({ runId });
    const record = asked.findLast((each) => each.entryId === parentId && isOpen(each));
    return record === undefined ? undefined : { kind: "waits", record };
  });

/** Whether one of the questions about the calls of code that was stopped is no longer open. */
export const hasAnswer = (
  { approvals }: CallServices,
  waitsFor: readonly string[],
): Effect.Effect<boolean, LedgerError> =>
  Effect.map(Effect.forEach(waitsFor, approvals.find), (records) =>
    records.some((record) => record?.status !== "waiting"),
  );

/** The approval of code that was stopped, as it stands now: answered, if a question about one of its calls is. */
export const answerIfDue = (
  services: CallServices,
  record: ApprovalRecord,
  at: number,
): Effect.Effect<ApprovalRecord, LedgerError> =>
  Effect.gen(function* () {
    const { ledger, approvals } = services;
    const kept = suspensionOf(yield* ledger.recall?.(record.entryId) ?? nothing);
    if (kept === undefined || !(yield* hasAnswer(services, kept.waitsFor))) return record;
    yield* approvals.answer(record.id, { decision: { kind: "allow" }, at });
    return (yield* approvals.find(record.id)) ?? record;
  });

/** A call that waits, as its caller is told of it: with what a person is asked. */
export const toWaiting = (
  services: CallServices,
  record: ApprovalRecord,
): Effect.Effect<Outcome, LedgerError> =>
  Effect.gen(function* () {
    const kept = suspensionOf(yield* services.ledger.recall?.(record.entryId) ?? nothing);
    if (kept === undefined) return pending(toRequest(record));
    const asked = yield* Effect.forEach(kept.waitsFor, services.approvals.find);
    const waitsFor = asked.flatMap((each) => (each?.status === "waiting" ? [toRequest(each)] : []));
    return pending(toRequest(record), { journal: kept.journal, waitsFor });
  });

const toRequest = (record: ApprovalRecord): ApprovalRequest => {
  const { id, callId, runId, tool, principal, input, reason, askedAt, expiresAt } = record;
  const request = { id, callId, runId, tool, principal, input, reason, askedAt };
  return expiresAt === undefined ? request : { ...request, expiresAt };
};

const isOpen = ({ status }: ApprovalRecord): boolean => status === "waiting" || status === "answered";

const nothing = Effect.succeed(undefined);
