import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { addRunTaints, recordRunPlan, recordRunText } from "../../pipeline/recorder.ts";
import { writeRunNote } from "../../pipeline/run-note.ts";
import { textsOfMessages } from "../../pipeline/texts-of-messages.ts";
import { spellingsOf } from "../../tools/tool-name.ts";
import type { ApprovalDecision, ApprovalRecord, ApprovalRequest } from "../../types/approval.ts";
import type { RawCall } from "../../types/call.ts";
import { ToolApprovalError, type ToolError, toError } from "../../types/errors.ts";
import type { RunPlan } from "../../types/lineage.ts";
import type { Message, ToolMessage } from "../../types/message.ts";
import type { Reply } from "../../types/outcome.ts";
import { approvalsOfCaller } from "../caller-records.ts";
import type { SharedRuntime } from "../shared-runtime.ts";
import { callKey } from "./session-call.ts";
import { isApprovalDecision, isMessage, isPlan, unreadableDecisionError } from "./session-checks.ts";
import { LiveSession, type SessionIdentity, withSessionClaim } from "./session-claim.ts";
import { type SessionModel, type SessionModelOptions, sessionModel } from "./session-model.ts";
import {
  claimFailureToError,
  claimWaitOf,
  type ParsedSessionOptions,
  sessionMethodError,
  withBudget,
} from "./session-options.ts";
import {
  executeSessionTurn,
  readSessionCallStatus,
  requestCallApproval,
  type SessionCallStatus,
  type SessionTurnOptions,
} from "./session-turn.ts";

export interface SessionDriver {
  readonly turn: (calls: readonly RawCall[], options: SessionTurnOptions) => Effect.Effect<readonly Reply[]>;
  readonly asks: (call: RawCall) => Effect.Effect<ApprovalRequest | undefined, ToolError>;
  readonly stands: (call: RawCall) => Effect.Effect<SessionCallStatus, ToolError>;
  readonly answer: (
    approvalId: string,
    decision: ApprovalDecision,
    by: string | undefined,
  ) => Effect.Effect<Reply, ToolError>;
  readonly model: (id: string, options: SessionModelOptions) => SessionModel;
  readonly note: (messages: readonly Message[]) => Effect.Effect<void, ToolError>;
  readonly plan: (plan: RunPlan) => Effect.Effect<void, ToolError>;
  readonly pending: () => Effect.Effect<readonly ApprovalRecord[], ToolError>;
  readonly end: () => Effect.Effect<void, ToolError>;
}

export const sessionDriver = (shared: SharedRuntime, session: ParsedSessionOptions): SessionDriver => {
  // Looked up each time, because idle sessions may be evicted.
  const live = () => liveSession(shared, session);
  return {
    turn: (calls, options) => executeSessionTurn(shared, session, live(), calls, options),
    asks: (call) => requestCallApproval(shared, session, live(), call),
    stands: (call) => readSessionCallStatus(shared, session, call),
    answer: (approvalId, decision, by) =>
      !isApprovalDecision(decision)
        ? Effect.fail(unreadableDecisionError())
        : answerSessionApproval(shared, session, live(), approvalId, decision, by),
    model: (id, options) => sessionModel(shared, session, id, options),
    note: (messages) =>
      Array.isArray(messages) && messages.every(isMessage)
        ? recordSessionMessages(shared, session, live(), messages)
        : Effect.fail(sessionMethodError("note", noteUsage)),
    plan: (plan) =>
      isPlan(plan)
        ? recordSessionPlan(shared, session, live(), plan)
        : Effect.fail(sessionMethodError("plan", "requires { uses: [{ tool, targets? }] }.")),
    pending: () => openSessionApprovals(shared, session),
    end: () => endSession(shared, session, live()),
  };
};

/**
 * Taints the session with the content of other messages, and records the taints in the ledger for processes
 * that resume the session.
 */
const recordSessionMessages = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  messages: readonly Message[],
): Effect.Effect<void, ToolError> => {
  const results = messages.filter((message) => message.role === "tool");
  const texts = textsOfMessages(messages, { isSource: () => true });
  if (texts.length === 0) return Effect.void;
  const noted = withSessionClaim(shared.ledger, live, claimWaitOf(session), ({ scope }) =>
    Effect.gen(function* () {
      for (const text of texts) recordRunText(scope.tally, text);
      const taints = new Set<string>();
      for (const result of results) {
        const fresh = (result.taints ?? [result.tool]).filter((each) => !scope.tally.taints.includes(each));
        if (fresh.length === 0 || (yield* isOwnResult(shared, session, live, result))) continue;
        for (const each of fresh) taints.add(each);
      }
      if (taints.size === 0) return;
      addRunTaints(scope.tally, [...taints]);
      yield* writeRunNote(shared.ledger, {
        name: "session:note",
        entryId: shared.tools.newId("entry"),
        runId: session.runId,
        epoch: scope.epoch,
        principal: session.principal,
        session: session.id,
        input: { taints: [...taints] },
        taints: [...taints],
      });
    }),
  );
  return Effect.mapError(noted, claimFailureToError);
};

/**
 * Results of this session's calls are already counted. The entry must exist, because other tools may have the
 * same name.
 */
const isOwnResult = (
  { ledger }: SharedRuntime,
  { runId }: ParsedSessionOptions,
  live: LiveSession,
  { callId, tool, taints }: ToolMessage,
): Effect.Effect<boolean, ToolError> => {
  if (taints !== undefined) return Effect.succeed(false);
  if (live.isAllKnown) return Effect.succeed(live.recordedCalls.get(callId)?.includes(tool) === true);
  return Effect.map(ledger.entries({ runId, callId }), (entries) =>
    entries.some((entry) => spellingsOf(tool).includes(entry.tool) || entry.tool === tool),
  );
};

const recordSessionPlan = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  { uses }: RunPlan,
): Effect.Effect<void, ToolError> => {
  const plan = {
    uses: uses.map(({ tool, ...use }) => ({ ...use, tool: shared.registry.get(tool)?.key ?? tool })),
  };
  const recorded = withSessionClaim(shared.ledger, live, claimWaitOf(session), ({ scope }) =>
    Effect.gen(function* () {
      if (scope.tally.taints.length > 0) return yield* Effect.fail(toError(lateSessionPlan(session)));
      recordRunPlan(scope.tally, plan);
      yield* writeRunNote(shared.ledger, {
        name: "run:plan",
        entryId: shared.tools.newId("entry"),
        runId: session.runId,
        epoch: scope.epoch,
        principal: session.principal,
        session: session.id,
        input: plan,
      });
    }),
  );
  return Effect.mapError(recorded, claimFailureToError);
};

const lateSessionPlan = ({ id }: ParsedSessionOptions) => ({
  code: "invalid_config" as const,
  message: `The session "${id}" has read untrusted content, which could have written the plan. Declare the plan before the first turn.`,
});

/**
 * Answers an approval request of the session and makes its call, under the same lock as a turn with that
 * call.
 */
const answerSessionApproval = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
  approvalId: string,
  decision: ApprovalDecision,
  by: string | undefined,
): Effect.Effect<Reply, ToolError> => {
  const { principal } = session;
  const answered = withSessionClaim(shared.ledger, live, claimWaitOf(session), ({ scope }) =>
    Effect.gen(function* () {
      const open = yield* openSessionApprovals(shared, session);
      const approval = open.find(({ id }) => id === approvalId);
      if (approval === undefined) return yield* Effect.fail(approvalNotOpenError(approvalId, session));
      const keys = yield* Effect.forEach(withSuspendedCallers(open, approval), (each) =>
        callKeyOfApproval(shared, each),
      );
      return yield* live.locks.hold(keys, undefined, () => {
        const resumeOptions = { principal, by, scope: withBudget(session, scope) };
        return Effect.tap(shared.tools.resume(approvalId, decision, resumeOptions), ({ taints }) =>
          Effect.sync(() => {
            if (taints !== undefined) addRunTaints(scope.tally, taints);
          }),
        );
      });
    }),
  );
  return Effect.mapError(answered, claimFailureToError);
};

/**
 * The approval and those of the suspended code that made the call: a turn that resumes the code needs the
 * call's outcome.
 */
const withSuspendedCallers = (
  open: readonly ApprovalRecord[],
  asked: ApprovalRecord,
): readonly ApprovalRecord[] => [
  asked,
  ...open
    .filter(({ waitsFor }) => waitsFor?.includes(asked.id))
    .flatMap((each) => withSuspendedCallers(open, each)),
];

const callKeyOfApproval = (
  { ledger }: SharedRuntime,
  { callId, entryId, rawTool }: ApprovalRecord,
): Effect.Effect<string, ToolError> =>
  Effect.map(ledger.entries({ entryId }), ([entry]) => callKey(callId, rawTool, entry?.inputHash ?? ""));

const openSessionApprovals = (
  { ledger }: SharedRuntime,
  { principal, runId }: ParsedSessionOptions,
): Effect.Effect<readonly ApprovalRecord[], ToolError> =>
  Effect.map(approvalsOfCaller(ledger, principal, { runId }), (all) =>
    all.filter(({ status }) => status === "waiting" || status === "answered"),
  );

const approvalNotOpenError = (approvalId: string, { id }: ParsedSessionOptions): ToolApprovalError =>
  new ToolApprovalError(
    "unknown_approval",
    `The approval request "${approvalId}" is not open in the session "${id}": it was answered and resumed, has expired, or never existed.`,
  );

const noteUsage =
  "requires a list of messages: [{ role, content }], tool messages also with callId and tool.";

const sessionsByRuntime = new WeakMap<SharedRuntime, Map<string, LiveSession>>();

const maxIdleSessions = 10_000;

const liveSession = (shared: SharedRuntime, { runId, principal }: SessionIdentity): LiveSession => {
  const all = sessionsByRuntime.get(shared) ?? new Map<string, LiveSession>();
  sessionsByRuntime.set(shared, all);
  const known = all.get(runId) ?? new LiveSession({ runId, principal });
  if (all.size < maxIdleSessions) {
    all.set(runId, known);
    return known;
  }
  all.delete(runId);
  all.set(runId, known);
  // Without a durable ledger, sessions exist only here and are never evicted.
  if (shared.ledger.approvals?.isDurable === true && all.size > maxIdleSessions) evictIdleSession(all, known);
  return known;
};

const evictIdleSession = (all: Map<string, LiveSession>, kept: LiveSession): void => {
  for (const [id, each] of all) {
    if (each === kept || each.claim !== undefined) continue;
    all.delete(id);
    return;
  }
};

const endSession = (
  shared: SharedRuntime,
  session: ParsedSessionOptions,
  live: LiveSession,
): Effect.Effect<void, ToolError> => {
  const ended = withSessionClaim(shared.ledger, live, claimWaitOf(session), (claim) =>
    Effect.gen(function* () {
      if (claim.holders > 1) return yield* Effect.fail(toError(callsRunningFailure(session)));
      const { runs } = claim;
      if (runs === undefined) return;
      const at = (yield* Clock.Clock).currentTimeMillisUnsafe();
      yield* runs.cancel(session.runId, session.principal.agent, at);
      claim.isEnded = true;
    }),
  );
  return Effect.mapError(ended, claimFailureToError);
};

const callsRunningFailure = ({ id }: ParsedSessionOptions) => ({
  code: "still_running" as const,
  message: `The session "${id}" has running calls. End it when they have finished.`,
});
