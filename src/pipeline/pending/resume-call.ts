import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRecord } from "../../types/approval.ts";
import type { RunScope } from "../../types/call.ts";
import { type AnyToolError, type LedgerError, type ToolApprovalError, toError } from "../../types/errors.ts";
import type { LayerScopes } from "../../types/layer.ts";
import { isOutcome, type PendingOutcome } from "../../types/outcome.ts";
import { type Principal, resolveActingPrincipal } from "../../types/principal.ts";
import type { Reply } from "../../types/reply.ts";
import type { RunSummary } from "../../types/run-store.ts";
import type { OfferedTools } from "../../types/tool.ts";
import { findTool } from "../1-hydrate/find-tool.ts";
import { approvalDeniedOutcome } from "../3-authorize/refusal-outcomes.ts";
import { toCauseOutcome } from "../4-layers/cause-outcomes.ts";
import { finishCall } from "../call.ts";
import type { CallServices, ResumedRun } from "../call-services.ts";
import {
  type BoundCall,
  type CallAwaitingApproval,
  type CallState,
  isStopped,
  type PermittedCall,
  type StoppedCall,
  stopCall,
} from "../call-state.ts";
import { conclude } from "../conclude.ts";
import { withCallContext } from "../current-call.ts";
import { type RestoreInterruption, toEffect } from "../maybe-effect.ts";
import { joinRun } from "../recorder.ts";
import { applyDecision, readDecision } from "./apply-decision.ts";
import {
  approvalExpiredOutcome,
  checkDecision,
  toTakeError,
  unknownApprovalError,
} from "./approval-errors.ts";
import { rebuildCall } from "./rebuild-call.ts";
import { deferToRun, recordDecision, toDecisionRecordedReply, writeDecision } from "./record-decision.ts";
import { answerIfResolved, findJournalOwner, isAnyAnswered, type JournalOwner } from "./suspended-call.ts";

/** Who goes on with a call, and with what if it has to be rebuilt from the ledger. */
export interface ResumeCallOptions {
  readonly principal: Principal | undefined;
  /** Who answered, for the record. */
  readonly by?: string | undefined;
  readonly layers?: LayerScopes | undefined;
  readonly shown?: OfferedTools | undefined;
  readonly env?: unknown;
  /** The arguments as the caller has them still: they count only if they are those that were asked about. */
  readonly input?: unknown;
  /** The run it belongs to, where that goes on in this process. */
  readonly scope?: RunScope | undefined;
}

/**
 * Goes on with a pending call, once: with the call that waits in this process, or with one rebuilt from what the
 * ledger kept of it. Without an answer, with the one that the ledger has.
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
      const isLocal = services.waiting.has(id);
      const isApproval = (answer ?? found.decision)?.kind !== "deny";
      // Where the tool is not, nobody goes on with the call; the question stays open for somebody who has it.
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
        const waiting = services.waiting.get(id);
        services.waiting.delete(id);
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

/** From before the approval is taken until the call is over. */
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

/** Whoever answers while the code is being stopped finds nobody who waits: so the code looks once more when it does. */
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
  // What could not be looked up, or what somebody else goes on with, waits as it was told.
  return Effect.catch(continuation, () => Effect.succeed(reply));
};

/** The claim under which a call of a run is made; none is needed for a call on its own. */
interface CallLease {
  readonly scope: RunScope | undefined;
  readonly release: Effect.Effect<void>;
}

const noLease: CallLease = { scope: undefined, release: Effect.void };

/**
 * Takes the run of a call that waits in this process for as long as the call is made: the claim that the run had ended
 * with it. Nothing where another process goes on with the run, which then makes the call.
 */
const acquireRunLease = (
  { ledger, waiting }: CallServices,
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
      // A run that has ended for good is nobody's to claim any more: what it left is a call on its own. One that was only
      // let go of since then may be claimed by anybody, and whoever does makes the call.
      const isOver = now === undefined || terminalRunStatuses.has(now.status);
      return isOver ? { scope: withoutEpoch(scope), release: Effect.void } : undefined;
    }
    const { status, reason } = run;
    const end = { runId, epoch, status: status === "running" ? "pending" : status, reason, at } as const;
    return { scope: Object.freeze({ ...scope, epoch }), release: Effect.ignore(runs.end(end)) };
  });

const terminalRunStatuses: ReadonlySet<RunSummary["status"]> = new Set<RunSummary["status"]>([
  "done",
  "stopped",
  "cancelled",
]);

const noRecord = Effect.succeed(undefined);

/** The call as it stands now, with the answer that was taken. */
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
    // A no holds whatever became of the tool.
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

/** A program that was refused makes no more calls, whoever answers the questions about them. */
const voidApprovals = (
  { approvals }: CallServices,
  { waitsFor = [], askedAt }: ApprovalRecord,
): Effect.Effect<void> =>
  Effect.forEach(waitsFor, (id) => Effect.ignore(approvals.annul(id, "its program was refused", askedAt)), {
    discard: true,
  });

/** Linked to where it began to wait, whoever goes on with it. */
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

/** The same call, made by its caller with the rights of now, under the claim that its run has now. */
const withCurrentRights = (
  call: BoundCall,
  principal: Principal,
  leasedScope: RunScope | undefined,
): BoundCall => {
  const scope = leasedScope ?? call.request.scope;
  joinRun(call.recorder, scope.tally);
  return { ...call, principal, request: Object.freeze({ ...call.request, principal, scope }) };
};

/** To anybody but its own caller, or whoever lent that its right, the id does not exist; that somebody tried is on record. */
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

/** An agent's run has layers and an agent of its own, which nobody has here. */
const isPartOfRun = (
  { ledger }: CallServices,
  { runId }: ApprovalRecord,
): Effect.Effect<boolean, LedgerError> =>
  ledger.runs === undefined
    ? Effect.succeed(false)
    : Effect.map(ledger.runs.find(runId), (run) => run !== undefined && run.status !== "done");

/** The answer is kept, and the code that made the call makes it: at once if that waits. */
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
      return toDecisionRecordedReply(services, record, "by the code that asked for it");
    const { by: _, ...others } = options;
    return yield* Effect.catchIf(
      resumeCall(services, journalOwner.record.id, undefined, others),
      // Somebody else goes on with the code already.
      ({ code }) => code === "unknown_approval" || code === "claim_lost",
      () => Effect.succeed(toDecisionRecordedReply(services, record, "by the code that asked for it")),
    );
  });

/** The answer is there, and nobody else goes on with the call any more. Without a decision its time ran out. */
interface TakenDecision {
  readonly record: ApprovalRecord;
  readonly decision: ApprovalDecision | undefined;
}

/** Answers where an answer is given, and takes the call, once. */
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
    // An answer that came too late only marks the question; its call is closed by whoever goes on with it.
    const wasOpen = status === "waiting" || status === "answered" || isUnconcluded;
    if (taken.kind === "expired" && wasOpen) return { record, decision: undefined };
    return yield* Effect.fail(toTakeError(taken.kind, record));
  });
