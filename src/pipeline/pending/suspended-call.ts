import * as Effect from "effect/Effect";
import type { ApprovalRecord, ApprovalRequest } from "../../types/approval.ts";
import { isJournaledCallId } from "../../types/call.ts";
import type { LedgerError } from "../../types/errors.ts";
import type { EntryTexts } from "../../types/ledger.ts";
import { type Outcome, pending, type Suspension } from "../../types/outcome.ts";
import type { CallServices, PermittedCall } from "../call-state.ts";

/**
 * Suspended code gets an approval of its own, which counts as answered once one of its calls is. Taking it
 * ensures that only one process resumes the code.
 */
export const toSuspendedOutcome = (
  services: CallServices,
  call: PermittedCall,
  suspension: Suspension,
): Outcome => {
  const { request, registration, principal, input, clock } = call;
  const asked: ApprovalRequest = {
    id: services.newId(),
    callId: request.raw.id,
    runId: request.scope.id,
    tool: registration.key,
    principal,
    input,
    reason: `its code is pending approval of ${toToolNames(suspension.waitsFor)}`,
    askedAt: clock.currentTimeMillisUnsafe(),
    waitsFor: suspension.waitsFor.map(({ id }) => id),
  };
  return pending(asked, suspension);
};

const toToolNames = (requests: readonly ApprovalRequest[]): string =>
  [...new Set(requests.map(({ tool }) => `"${tool}"`))].join(", ");

export const journalOf = (kept: EntryTexts | undefined): string | undefined =>
  kept?.entry.attempts?.at(-1)?.ending === "suspended" ? kept.result : undefined;

export type JournalOwner =
  | { readonly kind: "runs" }
  | { readonly kind: "waits"; readonly record: ApprovalRecord };

/** Only code that is still running or suspended resumes its calls itself. */
export const findJournalOwner = (
  services: CallServices,
  record: ApprovalRecord,
): Effect.Effect<JournalOwner | undefined, LedgerError> =>
  Effect.gen(function* () {
    const parentId = yield* findJournalEntryId(services, record);
    if (parentId === undefined) return undefined;
    const [parent] = yield* services.ledger.entries({ entryId: parentId });
    if (parent?.ending === "open") return { kind: "runs" };
    if (parent?.ending !== "pending") return undefined;
    const asked = yield* approvalsOfEntry(services, record.runId, parentId);
    const open = asked.findLast(isOpenApproval);
    return open === undefined ? undefined : { kind: "waits", record: open };
  });

export const findOutermostApproval = (
  services: CallServices,
  record: ApprovalRecord,
): Effect.Effect<ApprovalRecord, LedgerError> =>
  Effect.gen(function* () {
    const parentId = yield* findJournalEntryId(services, record);
    if (parentId === undefined) return record;
    const newest = (yield* approvalsOfEntry(services, record.runId, parentId)).at(-1);
    return newest ?? record;
  });

const findJournalEntryId = (
  { ledger }: CallServices,
  { callId, entryId }: ApprovalRecord,
): Effect.Effect<string | undefined, LedgerError> =>
  Effect.map(ledger.entries({ entryId }), ([own]) => {
    const parentId = own?.parentId;
    return parentId !== undefined && isJournaledCallId(callId, parentId) ? parentId : undefined;
  });

const approvalsOfEntry = (
  { approvals }: CallServices,
  runId: string,
  entryId: string,
): Effect.Effect<readonly ApprovalRecord[], LedgerError> =>
  Effect.map(approvals.list({ runId }), (all) => all.filter((each) => each.entryId === entryId));

export const isAnyAnswered = (
  { approvals }: CallServices,
  waitsFor: readonly string[],
): Effect.Effect<boolean, LedgerError> =>
  Effect.map(Effect.forEach(waitsFor, approvals.find), (records) =>
    records.some((record) => record?.status !== "waiting"),
  );

export const answerIfResolved = (
  services: CallServices,
  record: ApprovalRecord,
  at: number,
): Effect.Effect<ApprovalRecord, LedgerError> =>
  Effect.gen(function* () {
    const { id, waitsFor } = record;
    if (waitsFor === undefined || !(yield* isAnyAnswered(services, waitsFor))) return record;
    yield* services.approvals.answer(id, { decision: { kind: "allow" }, at });
    return (yield* services.approvals.find(id)) ?? record;
  });

export const toPendingOutcome = (
  { approvals }: CallServices,
  record: ApprovalRecord,
): Effect.Effect<Outcome, LedgerError> =>
  Effect.gen(function* () {
    if (record.waitsFor === undefined) return pending(toApprovalRequest(record));
    const asked = yield* Effect.forEach(record.waitsFor, approvals.find);
    const waitsFor = asked.flatMap((each) => (each?.status === "waiting" ? [toApprovalRequest(each)] : []));
    return pending(toApprovalRequest(record), { journal: "", waitsFor });
  });

const toApprovalRequest = (record: ApprovalRecord): ApprovalRequest => {
  const { id, callId, runId, tool, principal, input, reason, askedAt, expiresAt } = record;
  const request = { id, callId, runId, tool, principal, input, reason, askedAt };
  return expiresAt === undefined ? request : { ...request, expiresAt };
};

const isOpenApproval = ({ status }: ApprovalRecord): boolean => status === "waiting" || status === "answered";
