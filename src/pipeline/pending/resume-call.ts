import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRecord } from "../../types/approval.ts";
import type { RunScope } from "../../types/call.ts";
import { type AnyToolError, type LedgerError, type ToolApprovalError, toError } from "../../types/errors.ts";
import { isOutcome, type PendingOutcome, type Reply } from "../../types/outcome.ts";
import { type Principal, resolveActingPrincipal } from "../../types/principal.ts";
import type { RunSummary } from "../../types/run-store.ts";
import type { LayerScopes, OfferedTools } from "../../types/tool.ts";
import { findTool } from "../1-hydrate/find-tool.ts";
import { approvalDeniedOutcome } from "../3-authorize/refusal-outcomes.ts";
import { toCauseOutcome } from "../4-layers/gate.ts";
import { finishCall } from "../call.ts";
import {
  type BoundCall,
  type CallAwaitingApproval,
  type CallServices,
  type CallState,
  isStopped,
  type PermittedCall,
  type ResumedRun,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { conclude } from "../conclude.ts";
import { withCallContext } from "../current-call.ts";
import { type RestoreInterruption, toEffect } from "../maybe-effect.ts";

import { openRunLease } from "../run-lease.ts";
import {
  applyDecision,
  approvalExpiredOutcome,
  checkDecision,
  readDecision,
  toTakeError,
  unknownApprovalError,
} from "./apply-decision.ts";
import { rebuildCall } from "./rebuild-call.ts";
import { deferToRun, recordDecision, toDecisionRecordedReply, writeDecision } from "./record-decision.ts";
import { answerIfResolved, findJournalOwner, isAnyAnswered, type JournalOwner } from "./suspended-call.ts";

export interface ResumeCallOptions {
  readonly principal: Principal | undefined;
  readonly by?: string | undefined;
  readonly layers?: LayerScopes | undefined;
  readonly shown?: OfferedTools | undefined;
  readonly env?: unknown;
  readonly input?: unknown;
  readonly scope?: RunScope | undefined;
}

/**
 * Resumes a pending call once, either the one waiting in this process or one rebuilt from the ledger. Without
 * `given`, the recorded answer is used.
 */
export const resumeCall = (
  services: CallServices,
  id: string,
  given: ApprovalDecision | undefined,
  options: ResumeCallOptions,
): Effect.Effect<Reply, AnyToolError> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.gen(function* () {
      const answer = given === undefined ? undefined : readDecision(given);
      const clock = yield* Clock.Clock;
      const at = clock.currentTimeMillisUnsafe();
      const { record: approval, principal } = yield* findOwnApproval(services, id, options.principal, at);
      if (answer !== undefined) yield* checkDecision(approval, answer);
      const journalOwner =
        options.scope === undefined ? yield* findJournalOwner(services, approval) : undefined;
      if (journalOwner !== undefined)
        return yield* deferToParentCode(services, approval, journalOwner, answer, options, at);
      const isOpen = answer === undefined && approval.status === "waiting";
      const found = isOpen ? yield* answerIfResolved(services, approval, at) : approval;
      const isLocal = services.pendingCalls.has(id);
      const isApproval = (answer ?? found.decision)?.kind !== "deny";
      // If the tool is not available here, the request stays open for a process that has it.
      if (isApproval && !isLocal) yield* checkToolAvailable(services, found, principal, options.shown);
      const isKnown = isLocal && found.status !== "expired";
      const kept = isKnown ? undefined : yield* services.ledger.recall?.(found.entryId) ?? noRecord;
      if (!isLocal && options.layers === undefined && (yield* isPartOfRun(services, found))) {
        return yield* deferToRun(services, found, answer, options.by, at);
      }
      const lease =
        options.scope === undefined && isLocal ? yield* acquireRunLease(services, found, at) : noLease;
      if (lease === undefined) return yield* deferToRun(services, found, answer, options.by, at);
      const continuation = Effect.gen(function* () {
        const isUnconcluded = kept?.entry.ending === "pending";
        const taken = yield* takeApproval(services, found, answer, options.by, at, isUnconcluded);
        const waiting = services.pendingCalls.get(id);
        services.pendingCalls.delete(id);
        const call =
          waiting === undefined
            ? yield* rebuildCall(services, taken.record, kept, { ...options, principal }, clock)
            : withCurrentRights(waiting.call, principal, options.scope ?? lease.scope);
        return yield* continueCall(
          services,
          taken,
          waiting,
          withEarlierTrace(call, taken.record),
          interruptible,
        );
      });
      const untrack = trackResumedCall(services, found);
      return yield* Effect.ensuring(continuation, Effect.andThen(untrack, lease.release));
    }),
  );

const trackResumedCall = (
  { resumedRuns }: CallServices,
  { runId, entryId }: ApprovalRecord,
): Effect.Effect<void> => {
  const run: ResumedRun = resumedRuns.get(runId) ?? { entryIds: new Set(), tally: undefined };
  resumedRuns.set(runId, run);
  run.entryIds.add(entryId);
  return Effect.sync(() => {
    run.entryIds.delete(entryId);
    if (run.entryIds.size === 0) resumedRuns.delete(runId);
  });
};

/** An answer that arrives while the code is being suspended finds no suspended call, so this checks again. */
export const resumeIfAnswered = (
  services: CallServices,
  { request, principal }: PermittedCall,
  { approval, suspension }: PendingOutcome,
  reply: Reply,
): Effect.Effect<Reply> => {
  const { layers, shown, scope, env } = request;
  const waitsFor = suspension?.waitsFor ?? [];
  const continuation = Effect.flatMap(
    isAnyAnswered(
      services,
      waitsFor.map(({ id }) => id),
    ),
    (isAnswered) =>
      isAnswered
        ? resumeCall(services, approval.id, undefined, { principal, layers, shown, scope, env })
        : Effect.succeed(reply),
  );
  // On an error, or if another process resumes the call, it stays pending.
  return Effect.catch(continuation, () => Effect.succeed(reply));
};

interface CallLease {
  readonly scope: RunScope | undefined;
  readonly release: Effect.Effect<void>;
}

const noLease: CallLease = { scope: undefined, release: Effect.void };

/** Undefined if another process holds the run and makes the call. */
const acquireRunLease = (
  { ledger, pendingCalls: waiting }: CallServices,
  { id, runId }: ApprovalRecord,
  at: number,
): Effect.Effect<CallLease | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { runs } = ledger;
    const run = runs === undefined ? undefined : yield* runs.find(runId);
    const scope = waiting.get(id)?.call.request.scope;
    if (runs === undefined || run === undefined || scope?.epoch === undefined) return noLease;
    const epoch = yield* runs.claim(runId, at);
    if (epoch === undefined) {
      const now = yield* runs.find(runId);
      // A run that has ended cannot be claimed, so its call is made on its own. A run that was only released
      // can be claimed by any process, which then makes the call.
      const isOver = now === undefined || terminalRunStatuses.has(now.status);
      return isOver ? { scope: withoutEpoch(scope), release: Effect.void } : undefined;
    }
    const { status, reason } = run;
    const lease = openRunLease(runs, runId, epoch);
    const release = lease.release({ status: status === "running" ? "pending" : status, reason });
    return { scope: Object.freeze({ ...scope, epoch }), release };
  });

const terminalRunStatuses: ReadonlySet<RunSummary["status"]> = new Set<RunSummary["status"]>([
  "done",
  "stopped",
  "cancelled",
]);

const noRecord = Effect.succeed(undefined);

const continueCall = (
  services: CallServices,
  taken: TakenDecision,
  waiting: CallAwaitingApproval | undefined,
  call: BoundCall | StoppedCall,
  interruptible: RestoreInterruption,
): Effect.Effect<Reply> => {
  const { record, decision } = taken;
  const state = isStopped(call) ? call.state : call;
  if (decision === undefined) return toEffect(conclude(services, state, approvalExpiredOutcome(record)));
  if (decision.kind === "deny" && record.waitsFor !== undefined) {
    return Effect.andThen(
      voidApprovals(services, record),
      toEffect(conclude(services, state, approvalDeniedOutcome(record.tool, decision.reason))),
    );
  }
  if (isStopped(call)) {
    // A denial applies even if the tool has changed.
    const outcome =
      decision.kind === "deny" ? approvalDeniedOutcome(record.tool, decision.reason) : call.outcome;
    return toEffect(conclude(services, state, outcome));
  }
  const { tool } = call.registration;
  const question: CallAwaitingApproval = {
    kind: "question",
    call,
    reason: record.reason,
    approvers: waiting?.approvers ?? services.stackOf(tool, call.request.layers).approvers,
    isNew: true,
  };
  const decided = Effect.matchCause(interruptible(applyDecision(services, question, decision)), {
    onSuccess: (each) => each,
    onFailure: (cause) =>
      stopCall(
        call,
        withCallContext(services, call, () => toCauseOutcome(cause, record.tool)),
      ),
  });
  return Effect.flatMap(decided, (prepared) => toEffect(finishCall(services, prepared, interruptible)));
};

const voidApprovals = (
  { approvals }: CallServices,
  { waitsFor = [], askedAt }: ApprovalRecord,
): Effect.Effect<void> =>
  Effect.forEach(waitsFor, (id) => Effect.ignore(approvals.annul(id, "its program was refused", askedAt)), {
    discard: true,
  });

const withEarlierTrace = (
  call: BoundCall | StoppedCall,
  { trace }: ApprovalRecord,
): BoundCall | StoppedCall => {
  if (trace === undefined) return call;
  const request = ({ request: asked }: CallState) => Object.freeze({ ...asked, earlierTrace: trace });
  if (!isStopped(call)) return { ...call, request: request(call) };
  return { ...call, state: { ...call.state, request: request(call.state) } };
};

const withoutEpoch = ({ epoch: _, ...scope }: RunScope): RunScope => Object.freeze(scope);

const withCurrentRights = (
  call: BoundCall,
  principal: Principal,
  leasedScope: RunScope | undefined,
): BoundCall => {
  const scope = leasedScope ?? call.request.scope;
  call.recorder.run = scope.tally;
  return { ...call, principal, request: Object.freeze({ ...call.request, principal, scope }) };
};

/** For other callers the approval appears not to exist; their attempts are recorded. */
const findOwnApproval = (
  { approvals }: CallServices,
  id: string,
  principal: Principal | undefined,
  at: number,
): Effect.Effect<{ readonly record: ApprovalRecord; readonly principal: Principal }, AnyToolError> =>
  Effect.gen(function* () {
    const record = yield* approvals.find(id);
    if (record === undefined) return yield* Effect.fail(unknownApprovalError(id));
    const acting = principal === undefined ? undefined : resolveActingPrincipal(record.principal, principal);
    if (acting !== undefined) return { record, principal: acting };
    yield* Effect.ignore(approvals.refuse(id, principal, at));
    return yield* Effect.fail(unknownApprovalError(id));
  });

const checkToolAvailable = (
  services: CallServices,
  { rawTool }: ApprovalRecord,
  principal: Principal,
  shown: OfferedTools | undefined,
): Effect.Effect<void, AnyToolError> => {
  const found = findTool(services, rawTool, principal, shown);
  return isOutcome(found) && found._tag === "failure" ? Effect.fail(toError(found.failure)) : Effect.void;
};

/** A call of a run needs the run's layers and agent, which are not available here. */
const isPartOfRun = (
  { ledger }: CallServices,
  { runId }: ApprovalRecord,
): Effect.Effect<boolean, LedgerError> =>
  ledger.runs === undefined
    ? Effect.succeed(false)
    : Effect.map(ledger.runs.find(runId), (run) => run !== undefined && run.status !== "done");

const deferToParentCode = (
  services: CallServices,
  record: ApprovalRecord,
  journalOwner: JournalOwner,
  answer: ApprovalDecision | undefined,
  options: ResumeCallOptions,
  at: number,
): Effect.Effect<Reply, AnyToolError> =>
  Effect.gen(function* () {
    yield* recordDecision(services, record, answer, options.by, at);
    if (journalOwner.kind === "runs")
      return toDecisionRecordedReply(services, record, "by the code that requested it");
    const { by: _, ...others } = options;
    return yield* Effect.catchIf(
      resumeCall(services, journalOwner.record.id, undefined, others),
      ({ code }) => code === "unknown_approval" || code === "claim_lost",
      () => Effect.succeed(toDecisionRecordedReply(services, record, "by the code that requested it")),
    );
  });

/** Without a decision it has expired. */
interface TakenDecision {
  readonly record: ApprovalRecord;
  readonly decision: ApprovalDecision | undefined;
}

const takeApproval = (
  { approvals }: CallServices,
  record: ApprovalRecord,
  answer: ApprovalDecision | undefined,
  by: string | undefined,
  at: number,
  isUnconcluded: boolean,
): Effect.Effect<TakenDecision, ToolApprovalError | LedgerError> =>
  Effect.gen(function* () {
    const { id, status } = record;
    if (answer !== undefined) yield* writeDecision(approvals, record, { decision: answer, by, at });
    const taken = yield* approvals.take(id, at);
    if (taken.kind === "taken") {
      return { record: taken.record, decision: taken.record.decision ?? { kind: "deny" } };
    }
    // A late answer only marks the request as expired; its call is closed here.
    const wasOpen = status === "waiting" || status === "answered" || isUnconcluded;
    if (taken.kind === "expired" && wasOpen) return { record, decision: undefined };
    return yield* Effect.fail(toTakeError(taken.kind, record));
  });
