import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Answered, Answering, ApprovalDecision, ApprovalRecord, Taken } from "../words/approval.ts";
import type { AuthorizedCall, BoundCall, Trip } from "../words/call.ts";
import { type LedgerError, ToolApprovalError, type ToolError, toError } from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import { failed, isOutcome, type Outcome, pending } from "../words/outcome.ts";
import { actingFor, type Principal, partyOf } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import type { AnyTool } from "../words/tool.ts";
import { find, type Shown } from "./1-hydrate/find.ts";
import type { Question } from "./3-authorize/authorize.ts";
import { refusedByPerson } from "./3-authorize/refuse.ts";
import { isDecision } from "./3-authorize/waiting-room.ts";
import { noScopes, type Scopes, type Stack } from "./4-layers/stack.ts";
import { toReply } from "./8-reply/reply.ts";
import type { House } from "./house.ts";
import type { Restore } from "./in-steps.ts";
import { rebuild } from "./rebuild.ts";

/** The parts of the corridor that a call passes once it goes on. */
interface Parts<Walk extends object> {
  readonly house: House;
  readonly waiting: {
    readonly has: (id: string) => boolean;
    readonly leave: (id: string) => { readonly question: Question; readonly walk: Walk } | undefined;
    readonly settle: (question: Question, decision: ApprovalDecision) => AuthorizedCall | Outcome;
  };
  readonly stackOf: (tool: AnyTool, scopes: Scopes) => Pick<Stack, "approvers">;
  readonly anew: (trip: Trip, scopes: Scopes, clock: Clock.Clock, principal: Principal | undefined) => Walk;
  readonly finish: (walk: Walk, outcome: Outcome, call: BoundCall | undefined) => Effect.Effect<Reply>;
  readonly go: (
    walk: Walk,
    ready: AuthorizedCall | Outcome,
    call: BoundCall | undefined,
    restore: Restore,
  ) => Effect.Effect<Reply>;
}

/**
 * Goes on with a pending call, once: with the call that waits in this process, or with one made anew from what the
 * ledger kept of it.
 */
export const resumeCall = <Walk extends object>(
  parts: Parts<Walk>,
  id: string,
  answer: ApprovalDecision | undefined,
  resuming: Resuming & { readonly restore: Restore },
): Effect.Effect<Reply, ToolError> =>
  Effect.gen(function* () {
    const { house, waiting, stackOf, anew, finish, go } = parts;
    const clock = yield* Clock.Clock;
    const at = clock.currentTimeMillisUnsafe();
    const { record: found, principal } = yield* findOwn(house, id, resuming, at);
    if (answer !== undefined) yield* checkAnswer(found, answer);
    const goesOn = (answer ?? found.decision)?.kind !== "deny";
    const isHere = waiting.has(id);
    // Where the tool is not, nobody goes on with the call; the question stays open for somebody who has it.
    if (goesOn && !isHere) yield* checkThere(house, found, principal, resuming.shown);
    const kept = isHere ? undefined : yield* house.ledger.recall?.(found.entryId) ?? nothing;
    if (!isHere && resuming.scopes === undefined && (yield* isOfRun(house, found))) {
      return yield* leaveToRun(house, found, answer, resuming.by, at);
    }
    const taken = yield* takeApproval(house, found, answer, resuming.by, at);
    const { record } = taken;
    const seat = waiting.leave(id);
    const scopes = resuming.scopes ?? noScopes;
    const { trip, call } =
      seat === undefined
        ? yield* rebuild(house, record, kept, { ...resuming, principal })
        : asNow(seat.question.call, principal);
    const walk =
      seat === undefined ? anew(trip, scopes, clock, principal) : { ...seat.walk, trip, principal };
    const known = isOutcome(call) ? undefined : call;
    if ("expired" in taken) return yield* finish(walk, expiredOutcome(record), known);
    if (isOutcome(call)) return yield* finish(walk, deniedOr(call, taken), undefined);
    const question: Question = {
      kind: "question",
      call,
      reason: record.reason,
      approvers: seat?.question.approvers ?? stackOf(call.registration.tool, scopes).approvers,
    };
    return yield* go(walk, waiting.settle(question, taken.decision), call, resuming.restore);
  });

/** A no holds whatever became of the tool. */
const deniedOr = (outcome: Outcome, { record, decision }: Granted): Outcome =>
  decision.kind === "deny" ? refusedByPerson(record.tool, decision.reason) : outcome;

/** The same call, made by its caller with the rights of now. */
const asNow = (call: BoundCall, principal: Principal): { readonly trip: Trip; readonly call: BoundCall } => {
  const trip = { ...call.trip, principal };
  return { trip, call: { ...call, trip, principal } };
};

/** Who goes on with a call, and with what if it has to be made anew. */
export interface Resuming {
  readonly principal: Principal | undefined;
  readonly by?: string | undefined;
  readonly scopes?: Scopes | undefined;
  readonly shown?: Shown | undefined;
  readonly env?: unknown;
  readonly tally?: Trip["scope"]["tally"];
}

/** The answer is there, and nobody else goes on with the call any more. */
interface Granted {
  readonly record: ApprovalRecord;
  readonly decision: ApprovalDecision;
}

/** Its time ran out: the call is over, and says so to whoever asks. */
interface Expired {
  readonly record: ApprovalRecord;
  readonly expired: true;
}

/** To anybody but its own caller, or whoever lent that its right, the id does not exist; that somebody tried is on record. */
const findOwn = (
  house: House,
  id: string,
  { principal }: Resuming,
  at: number,
): Effect.Effect<{ readonly record: ApprovalRecord; readonly principal: Principal }, ToolError> =>
  Effect.gen(function* () {
    const record = yield* house.approvals.find(id);
    if (record === undefined) return yield* Effect.fail(unknownApproval(id));
    const acting = principal === undefined ? undefined : actingFor(record.principal, principal);
    if (acting !== undefined) return { record, principal: acting };
    yield* Effect.ignore(house.approvals.refuse(id, principal, at));
    return yield* Effect.fail(unknownApproval(id));
  });

const checkAnswer = (
  { principal }: ApprovalRecord,
  answer: ApprovalDecision,
): Effect.Effect<void, ToolApprovalError> => {
  if (!isDecision(answer)) return Effect.fail(unreadable());
  const isForSession = answer.kind === "allow" && answer.always === "session";
  return isForSession && partyOf(principal).session === undefined ? Effect.fail(noSession()) : Effect.void;
};

const checkThere = (
  house: House,
  { rawTool }: ApprovalRecord,
  principal: Principal,
  shown: Shown | undefined,
): Effect.Effect<void, ToolError> => {
  const found = find(house, rawTool, principal, shown);
  return isOutcome(found) && found._tag === "failure" ? Effect.fail(toError(found.failure)) : Effect.void;
};

const nothing = Effect.succeed(undefined);

/** An agent's run has layers and an agent of its own, which nobody has here. */
const isOfRun = ({ ledger }: House, { runId }: ApprovalRecord): Effect.Effect<boolean, LedgerError> =>
  ledger.runs === undefined
    ? Effect.succeed(false)
    : Effect.map(ledger.runs.find(runId), (run) => run !== undefined && run.status !== "done");

/** The answer is kept, and the call is made when its run goes on. */
const leaveToRun = (
  { approvals, redactor }: House,
  record: ApprovalRecord,
  answer: ApprovalDecision | undefined,
  by: string | undefined,
  at: number,
): Effect.Effect<Reply, ToolApprovalError | LedgerError> =>
  Effect.gen(function* () {
    if (answer !== undefined) {
      const said = yield* say(approvals, record, { decision: answer, by, at });
      if (said === "expired") return yield* Effect.fail(notTaken("expired", record));
    } else if (record.status !== "answered") return yield* Effect.fail(notTaken(statusOf(record), record));
    const { callId: id, rawTool: tool, reason, input, principal, runId } = record;
    const request = { id: record.id, callId: id, runId, tool: record.tool, principal, input, reason };
    const reply = toReply({ id, tool, input }, pending(request), "", redactor);
    return { ...reply, text: `The answer is kept. The call is made when its run "${runId}" is resumed.` };
  });

const statusOf = ({ status }: ApprovalRecord): Exclude<Taken["kind"], "taken"> =>
  status === "answered" ? "waiting" : status;

/** The first answer counts; whoever comes later is told so. */
const say = (
  approvals: House["approvals"],
  record: ApprovalRecord,
  answering: Answering,
): Effect.Effect<Answered, ToolApprovalError | LedgerError> =>
  Effect.flatMap(approvals.answer(record.id, answering), (said) =>
    said === "unknown" || said === "already" ? Effect.fail(answered(record)) : Effect.succeed(said),
  );

/** Answers where an answer is given, and takes the call, once. */
const takeApproval = (
  { approvals }: House,
  record: ApprovalRecord,
  answer: ApprovalDecision | undefined,
  by: string | undefined,
  at: number,
): Effect.Effect<Granted | Expired, ToolApprovalError | LedgerError> =>
  Effect.gen(function* () {
    const { id, status } = record;
    if (answer !== undefined) yield* say(approvals, record, { decision: answer, by, at });
    const taken = yield* approvals.take(id, at);
    if (taken.kind === "taken") {
      return { record: taken.record, decision: taken.record.decision ?? { kind: "deny" } };
    }
    const wasOpen = status === "waiting" || status === "answered";
    if (taken.kind === "expired" && wasOpen) return { record, expired: true };
    return yield* Effect.fail(notTaken(taken.kind, record));
  });

const notTaken = (kind: Exclude<Taken["kind"], "taken">, record: ApprovalRecord): ToolApprovalError => {
  if (kind === "waiting") {
    const message = `The call of "${record.tool}" still waits for a person to answer the approval "${record.id}".`;
    return new ToolApprovalError("approval_required", message, { tool: record.tool });
  }
  return kind === "expired"
    ? new ToolApprovalError("approval_expired", expiredMessage(record), { tool: record.tool })
    : answered(record);
};

const expiredOutcome = (record: ApprovalRecord): Outcome =>
  failed({ code: "approval_expired", tool: record.tool, message: expiredMessage(record) });

const expiredMessage = ({ tool }: ApprovalRecord): string =>
  `Nobody approved the call of "${tool}" in time. It was not made.`;

const unreadable = (): ToolApprovalError =>
  approvalError(
    "unreadable_decision",
    'An approval is answered with { kind: "allow" }, { kind: "deny", reason } or { kind: "edit", input }.',
  );

const noSession = (): ToolApprovalError =>
  approvalError(
    "unreadable_decision",
    'The caller has no session, so a yes cannot hold for it. Answer with always: "run", or without.',
  );

const unknownApproval = (id: string): ToolApprovalError =>
  approvalError("unknown_approval", `No call waits for the approval "${id}".`);

const answered = ({ id, answeredBy }: ApprovalRecord): ToolApprovalError => {
  const by = answeredBy === undefined ? "" : ` by ${answeredBy}`;
  return approvalError(
    "unknown_approval",
    `No call waits for the approval "${id}" any more: it was answered${by}.`,
  );
};

const approvalError = (code: FailureCode, message: string): ToolApprovalError =>
  new ToolApprovalError(code, message);
