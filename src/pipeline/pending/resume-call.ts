import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { ApprovalDecision, ApprovalRecord } from "../../words/approval.ts";
import type { RunScope } from "../../words/call.ts";
import { type AnyToolError, type LedgerError, type ToolApprovalError, toError } from "../../words/errors.ts";
import type { LayerScopes } from "../../words/layer.ts";
import { isOutcome, type Pending } from "../../words/outcome.ts";
import { actingFor, type Principal } from "../../words/principal.ts";
import type { Reply } from "../../words/reply.ts";
import type { RunSummary } from "../../words/run-book.ts";
import type { ShownTools } from "../../words/tool.ts";
import { findTool } from "../1-hydrate/find-tool.ts";
import { refusedByPerson } from "../3-authorize/refuse.ts";
import { toOutcome } from "../4-layers/to-outcome.ts";
import { finishCall } from "../call.ts";
import type { CallServices } from "../call-services.ts";
import {
  type BoundCall,
  type CallState,
  type GrantedCall,
  isStopped,
  type Stopped,
  stopped,
  type UnansweredCall,
} from "../call-state.ts";
import { conclude } from "../conclude.ts";
import { answerInside } from "../current-call.ts";
import { type Interruptible, toEffect } from "../eventually.ts";
import { joinRun } from "../recorder.ts";
import { applyDecision, readDecision } from "./apply-decision.ts";
import { keepAnswer, leaveToRun, toKept, writeAnswer } from "./keep-answer.ts";
import { rebuildCall } from "./rebuild-call.ts";
import { checkAnswer, expired, notTaken, unknownApproval } from "./refusals.ts";
import { answerIfDue, findJournalKeeper, hasAnswer, type JournalKeeper } from "./suspended-call.ts";

/** Who goes on with a call, and with what if it has to be rebuilt from the ledger. */
export interface Resuming {
  readonly principal: Principal | undefined;
  /** Who answered, for the record. */
  readonly by?: string | undefined;
  readonly layers?: LayerScopes | undefined;
  readonly shown?: ShownTools | undefined;
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
  resuming: Resuming,
): Effect.Effect<Reply, AnyToolError> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.gen(function* () {
      const answer = given === undefined ? undefined : readDecision(given);
      const clock = yield* Clock.Clock;
      const at = clock.currentTimeMillisUnsafe();
      const { record: asked, principal } = yield* findOwn(services, id, resuming.principal, at);
      if (answer !== undefined) yield* checkAnswer(asked, answer);
      const keeper = resuming.scope === undefined ? yield* findJournalKeeper(services, asked) : undefined;
      if (keeper !== undefined) return yield* leaveToCode(services, asked, keeper, answer, resuming, at);
      const isOpen = answer === undefined && asked.status === "waiting";
      const found = isOpen ? yield* answerIfDue(services, asked, at) : asked;
      const isHere = services.waiting.has(id);
      const isYes = (answer ?? found.decision)?.kind !== "deny";
      // Where the tool is not, nobody goes on with the call; the question stays open for somebody who has it.
      if (isYes && !isHere) yield* checkToolIsHere(services, found, principal, resuming.shown);
      const isKnown = isHere && found.status !== "expired";
      const kept = isKnown ? undefined : yield* services.ledger.recall?.(found.entryId) ?? nothing;
      if (!isHere && resuming.layers === undefined && (yield* belongsToRun(services, found))) {
        return yield* leaveToRun(services, found, answer, resuming.by, at);
      }
      const claim = resuming.scope === undefined && isHere ? yield* claimRun(services, found, at) : noClaim;
      if (claim === undefined) return yield* leaveToRun(services, found, answer, resuming.by, at);
      const goingOn = Effect.gen(function* () {
        const isUnconcluded = kept?.entry.ending === "pending";
        const taken = yield* takeApproval(services, found, answer, resuming.by, at, isUnconcluded);
        const waiting = services.waiting.get(id);
        services.waiting.delete(id);
        const call =
          waiting === undefined
            ? yield* rebuildCall(services, taken.record, kept, { ...resuming, principal }, clock)
            : asOfNow(waiting.call, principal, resuming.scope ?? claim.scope);
        return yield* goOn(services, taken, waiting, inTrace(call, taken.record), interruptible);
      });
      return yield* Effect.ensuring(goingOn, claim.release);
    }),
  );

/** Whoever answers while the code is being stopped finds nobody who waits: so the code looks once more when it does. */
export const goOnIfAnswered = (
  services: CallServices,
  { request, principal }: GrantedCall,
  { approval, suspension }: Pending,
  reply: Reply,
): Effect.Effect<Reply> => {
  const { layers, shown, scope, env } = request;
  const waitsFor = suspension?.waitsFor ?? [];
  const goingOn = Effect.flatMap(
    hasAnswer(
      services,
      waitsFor.map(({ id }) => id),
    ),
    (isAnswered) =>
      isAnswered
        ? resumeCall(services, approval.id, undefined, { principal, layers, shown, scope, env })
        : Effect.succeed(reply),
  );
  // What could not be looked up, or what somebody else goes on with, waits as it was told.
  return Effect.catch(goingOn, () => Effect.succeed(reply));
};

/** The claim under which a call of a run is made; none is needed for a call on its own. */
interface CallClaim {
  readonly scope: RunScope | undefined;
  readonly release: Effect.Effect<void>;
}

const noClaim: CallClaim = { scope: undefined, release: Effect.void };

/**
 * Takes the run of a call that waits in this process for as long as the call is made: the claim that the run had ended
 * with it. Nothing where another process goes on with the run, which then makes the call.
 */
const claimRun = (
  { ledger, waiting }: CallServices,
  { id, runId }: ApprovalRecord,
  at: number,
): Effect.Effect<CallClaim | undefined, LedgerError> =>
  Effect.gen(function* () {
    const { runs } = ledger;
    const run = runs === undefined ? undefined : yield* runs.find(runId);
    const scope = waiting.get(id)?.call.request.scope;
    if (runs === undefined || run === undefined || scope?.epoch === undefined) return noClaim;
    const epoch = yield* runs.claim(runId, at);
    if (epoch === undefined) {
      const now = yield* runs.find(runId);
      // A run that has ended for good is nobody's to claim any more: what it left is a call on its own. One that was only
      // let go of since then may be claimed by anybody, and whoever does makes the call.
      const isOver = now === undefined || endedForGood.has(now.status);
      return isOver ? { scope: withoutEpoch(scope), release: Effect.void } : undefined;
    }
    const { status, reason } = run;
    const end = { runId, epoch, status: status === "running" ? "pending" : status, reason, at } as const;
    return { scope: Object.freeze({ ...scope, epoch }), release: Effect.ignore(runs.end(end)) };
  });

const endedForGood: ReadonlySet<RunSummary["status"]> = new Set<RunSummary["status"]>([
  "done",
  "stopped",
  "cancelled",
]);

const nothing = Effect.succeed(undefined);

/** The call as it stands now, with the answer that was taken. */
const goOn = (
  services: CallServices,
  taken: TakenAnswer,
  waiting: UnansweredCall | undefined,
  call: BoundCall | Stopped,
  interruptible: Interruptible,
): Effect.Effect<Reply> => {
  const { record, decision } = taken;
  const state = isStopped(call) ? call.state : call;
  if (decision === undefined) return toEffect(conclude(services, state, expired(record)));
  if (decision.kind === "deny" && record.waitsFor !== undefined) {
    return Effect.andThen(
      voidQuestions(services, record),
      toEffect(conclude(services, state, refusedByPerson(record.tool, decision.reason))),
    );
  }
  if (isStopped(call)) {
    // A no holds whatever became of the tool.
    const outcome = decision.kind === "deny" ? refusedByPerson(record.tool, decision.reason) : call.outcome;
    return toEffect(conclude(services, state, outcome));
  }
  const { tool } = call.registration;
  const question: UnansweredCall = {
    kind: "question",
    call,
    reason: record.reason,
    approvers: waiting?.approvers ?? services.stackOf(tool, call.request.layers).approvers,
    isNew: true,
  };
  const decided = Effect.matchCause(interruptible(applyDecision(services, question, decision)), {
    onSuccess: (each) => each,
    onFailure: (cause) =>
      stopped(
        call,
        answerInside(services, call, () => toOutcome(cause, record.tool)),
      ),
  });
  return Effect.flatMap(decided, (prepared) => toEffect(finishCall(services, prepared, interruptible)));
};

/** A program that was refused makes no more calls, whoever answers the questions about them. */
const voidQuestions = (
  { approvals }: CallServices,
  { waitsFor = [], askedAt }: ApprovalRecord,
): Effect.Effect<void> =>
  Effect.forEach(waitsFor, (id) => Effect.ignore(approvals.annul(id, "its program was refused", askedAt)), {
    discard: true,
  });

/** Linked to where it began to wait, whoever goes on with it. */
const inTrace = (call: BoundCall | Stopped, { trace }: ApprovalRecord): BoundCall | Stopped => {
  if (trace === undefined) return call;
  const request = ({ request: asked }: CallState) => Object.freeze({ ...asked, earlierTrace: trace });
  if (!isStopped(call)) return { ...call, request: request(call) };
  return { ...call, state: { ...call.state, request: request(call.state) } };
};

const withoutEpoch = ({ epoch: _, ...scope }: RunScope): RunScope => Object.freeze(scope);

/** The same call, made by its caller with the rights of now, under the claim that its run has now. */
const asOfNow = (call: BoundCall, principal: Principal, claimed: RunScope | undefined): BoundCall => {
  const scope = claimed ?? call.request.scope;
  joinRun(call.recorder, scope.tally);
  return { ...call, principal, request: Object.freeze({ ...call.request, principal, scope }) };
};

/** To anybody but its own caller, or whoever lent that its right, the id does not exist; that somebody tried is on record. */
const findOwn = (
  { approvals }: CallServices,
  id: string,
  principal: Principal | undefined,
  at: number,
): Effect.Effect<{ readonly record: ApprovalRecord; readonly principal: Principal }, AnyToolError> =>
  Effect.gen(function* () {
    const record = yield* approvals.find(id);
    if (record === undefined) return yield* Effect.fail(unknownApproval(id));
    const acting = principal === undefined ? undefined : actingFor(record.principal, principal);
    if (acting !== undefined) return { record, principal: acting };
    yield* Effect.ignore(approvals.refuse(id, principal, at));
    return yield* Effect.fail(unknownApproval(id));
  });

const checkToolIsHere = (
  services: CallServices,
  { rawTool }: ApprovalRecord,
  principal: Principal,
  shown: ShownTools | undefined,
): Effect.Effect<void, AnyToolError> => {
  const found = findTool(services, rawTool, principal, shown);
  return isOutcome(found) && found._tag === "failure" ? Effect.fail(toError(found.failure)) : Effect.void;
};

/** An agent's run has layers and an agent of its own, which nobody has here. */
const belongsToRun = (
  { ledger }: CallServices,
  { runId }: ApprovalRecord,
): Effect.Effect<boolean, LedgerError> =>
  ledger.runs === undefined
    ? Effect.succeed(false)
    : Effect.map(ledger.runs.find(runId), (run) => run !== undefined && run.status !== "done");

/** The answer is kept, and the code that made the call makes it: at once if that waits. */
const leaveToCode = (
  services: CallServices,
  record: ApprovalRecord,
  keeper: JournalKeeper,
  answer: ApprovalDecision | undefined,
  resuming: Resuming,
  at: number,
): Effect.Effect<Reply, AnyToolError> =>
  Effect.gen(function* () {
    yield* keepAnswer(services, record, answer, resuming.by, at);
    if (keeper.kind === "runs") return toKept(services, record, "by the code that asked for it");
    const { by: _, ...others } = resuming;
    return yield* Effect.catchIf(
      resumeCall(services, keeper.record.id, undefined, others),
      // Somebody else goes on with the code already.
      ({ code }) => code === "unknown_approval" || code === "claim_lost",
      () => Effect.succeed(toKept(services, record, "by the code that asked for it")),
    );
  });

/** The answer is there, and nobody else goes on with the call any more. Without a decision its time ran out. */
interface TakenAnswer {
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
): Effect.Effect<TakenAnswer, ToolApprovalError | LedgerError> =>
  Effect.gen(function* () {
    const { id, status } = record;
    if (answer !== undefined) yield* writeAnswer(approvals, record, { decision: answer, by, at });
    const taken = yield* approvals.take(id, at);
    if (taken.kind === "taken") {
      return { record: taken.record, decision: taken.record.decision ?? { kind: "deny" } };
    }
    // An answer that came too late only marks the question; its call is closed by whoever goes on with it.
    const wasOpen = status === "waiting" || status === "answered" || isUnconcluded;
    if (taken.kind === "expired" && wasOpen) return { record, decision: undefined };
    return yield* Effect.fail(notTaken(taken.kind, record));
  });
