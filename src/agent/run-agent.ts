import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { addRunTaints, recordRunText } from "../pipeline/recorder.ts";
import { taintsOfMessage } from "../policy/taint.ts";
import type { Agent, AgentEvent, AgentResponse } from "../types/agent.ts";
import type { RawCall } from "../types/call.ts";
import { type ToolError, toError } from "../types/errors.ts";
import type { FailureCode } from "../types/failures.ts";
import type { AssistantMessage } from "../types/message.ts";
import { textOf } from "../types/message.ts";
import type { ModelReply, OmittedPart } from "../types/model.ts";
import type { Reply } from "../types/outcome.ts";
import type { RunRecord } from "../types/run-store.ts";
import type { ActiveRun, AgentTurn } from "./active-run.ts";
import {
  callIdsIn,
  findUnfinishedTurn,
  insertAnswers,
  invocationsIn,
  type ModelCalls,
  pausedText,
  toInvocations,
  toToolMessages,
  withUniqueIds,
} from "./conversation-calls.ts";
import { declarePlan } from "./declare-plan.ts";
import { answerAsText } from "./parse-model-answer.ts";
import {
  addUsage,
  correctHandoff,
  endWithReply,
  endWithValue,
  findNextStep,
  isBlankText,
  type ModelStop,
  type RunEnding,
  type RunProgress,
  subtractUsage,
  toAgentResponse,
  withResponse,
} from "./run-progress.ts";
import type { RunState, StopPolicy } from "./stop-policies.ts";
import { toModelTurn } from "./to-model-turn.ts";

export const runAgent = (run: ActiveRun): Effect.Effect<AgentResponse, ToolError> =>
  Effect.gen(function* () {
    const progress = startProgress(run);
    const clock = yield* Clock.Clock;
    const since = clock.currentTimeMillisUnsafe();
    const end = (ending: RunEnding): AgentResponse => toAgentResponse(run.scope.id, progress, ending);
    // A failed run keeps its conversation in `error.response`.
    const keep = (error: ToolError) => withResponse(error, end({ status: "failed", reason: error.message }));

    const stops = () => applyStopPolicies(run.stop, progress, clock.currentTimeMillisUnsafe() - since);
    let ending: RunEnding | undefined;
    if (run.record !== undefined) {
      ending = yield* Effect.mapError(resumeFromRecord(run, progress, run.record), keep);
      ending ??= stops();
    } else ending = handOffOrEnd(run, progress);
    const isNew = run.record === undefined || run.record.turns === 0 || run.chat?.says !== undefined;
    if (ending === undefined && isNew && run.services.plansRuns) {
      yield* Effect.mapError(declarePlan(run, progress), keep);
    }
    while (ending === undefined) {
      ending = (yield* Effect.mapError(takeTurn(run, progress), keep)) ?? stops();
    }
    return end(ending);
  });

const startProgress = ({ agent, messages, record, chat }: ActiveRun): RunProgress => ({
  agent,
  messages: [...messages],
  toolsUsed: record === undefined ? [] : [...invocationsIn(messages.slice(record.given))],
  callIds: callIdsIn(messages),
  usage: record?.usage ?? { inputTokens: 0, outputTokens: 0 },
  turns: record?.turns ?? 0,
  text: "",
  corrections: 0,
  losses: new Map(),
  before: record === undefined || chat === undefined ? noPreviousUsage : previousUsage(record),
});

const noPreviousUsage = { turns: 0, usage: { inputTokens: 0, outputTokens: 0 } };

const previousUsage = ({ messages, given, turns, usage }: RunRecord): RunProgress["before"] => {
  const sofar = messages.slice(given).filter(({ role }) => role === "assistant").length;
  return { turns: Math.max(0, turns - sofar), usage };
};

const resumeFromRecord = (
  run: ActiveRun,
  progress: RunProgress,
  before: RunRecord,
): Effect.Effect<RunEnding | undefined, ToolError> =>
  Effect.gen(function* () {
    const ending = yield* finishPendingTurn(run, progress, before);
    const { says, settlesOnly } = run.chat ?? {};
    if (ending?.status === "pending" || ending?.status === "cancelled") return ending;
    if (settlesOnly === true) return withdrawnEnding;
    if (says === undefined) return ending;
    progress.messages.push(says);
    if (says.role === "user") recordRunText(run.scope.tally, { source: "user", text: textOf(says) });
    progress.toolsUsed.length = 0;
    progress.before = { turns: progress.turns, usage: progress.usage };
    yield* run.runWriter?.keep(progress) ?? Effect.void;
    return undefined;
  });

const withdrawnEnding: RunEnding = { status: "cancelled", reason: "Pending calls were withdrawn." };

const finishPendingTurn = (
  run: ActiveRun,
  progress: RunProgress,
  before: RunRecord,
): Effect.Effect<RunEnding | undefined, ToolError> =>
  Effect.gen(function* () {
    const left = findUnfinishedTurn(progress.messages);
    if (left === undefined) return handOffOrEnd(run, progress);
    if (left.openCalls === undefined) {
      progress.text = left.text;
      return endWithReply(run.expectedAnswer, progress, {
        finish: "stop",
        ...(left.parts && { parts: left.parts }),
      });
    }
    const { services, signal } = run;
    if (signal.aborted) return cancelledEnding(run);
    const agent = run.agentOf(left.agent ?? before.agent) ?? progress.agent;
    const model = yield* services.modelOf(agent);
    const tools = yield* services.bind(agent, model, progress.messages);
    const step: AgentTurn = { agent, tools, model, signal };
    const replies = yield* services.recover(left.openCalls.executable, step);
    // An outcome that is not available yet fails the resume, so that the run can be resumed again.
    const untold = replies.find(
      ({ failure }) => failure !== undefined && unreportableCodes.has(failure.code),
    );
    if (untold?.failure !== undefined) return yield* Effect.fail(toError(untold.failure));
    return yield* addReplies(run, progress, step, left.openCalls, replies);
  });

const unreportableCodes: ReadonlySet<FailureCode> = new Set<FailureCode>([
  "ledger_unavailable",
  "still_running",
]);

const takeTurn = (run: ActiveRun, progress: RunProgress): Effect.Effect<RunEnding | undefined, ToolError> =>
  Effect.gen(function* () {
    const { services, signal, emit: tell } = run;
    const { agent } = progress;
    if (signal.aborted) return cancelledEnding(run);
    const model = yield* services.modelOf(agent);
    const tools = yield* services.bind(agent, model, progress.messages);
    const step: AgentTurn = { agent, tools, model, signal };
    const question = toModelTurn(step, run, progress);
    const answer = yield* untilAborted(services.ask(question), signal);
    if (answer === undefined) return cancelledEnding(run);
    if (!answer.ok) return yield* Effect.fail(toError(answer.failure));
    const reply = question.answer === undefined ? answer.reply : answerAsText(answer.reply, question.answer);
    progress.turns += 1;
    progress.text = pausedText(progress.messages) + reply.text;
    progress.usage = addUsage(progress.usage, reply.usage);
    tell?.({ kind: "usage", usage: progress.usage });
    emitLosses(tell, progress, model.id, reply.losses ?? []);

    addRunTaints(run.scope.tally, taintsOfMessage(reply));
    const calls = withUniqueIds(reply.calls, progress.callIds, services.newCallId);
    if (!isBlankText(reply.text) || calls.calls.length > 0 || reply.parts !== undefined) {
      const message = toMessage(reply, calls.calls, agent);
      progress.messages.push(run.chat === undefined ? message : { ...message, usage: reply.usage });
    }
    // Recorded before the calls run, so that their ids are stable if another process resumes the run.
    yield* run.runWriter?.keep(progress) ?? Effect.void;
    if (calls.executable.length === 0) return yield* endWithText(run, progress, calls, reply);
    tell?.({ kind: "calls", agent: agent.name, calls: calls.calls });
    return yield* addReplies(run, progress, step, calls, yield* services.turn(calls.executable, step));
  });

const addReplies = (
  run: ActiveRun,
  progress: RunProgress,
  { agent, tools }: AgentTurn,
  calls: ModelCalls,
  replies: readonly Reply[],
): Effect.Effect<RunEnding | undefined, ToolError> => {
  const answered = replies.map((each) => correctHandoff(agent.name, tools.targets, each));
  insertAnswers(progress.messages, toToolMessages(calls, answered));
  emitTurn(run, progress, agent, calls, answered);
  const lost = answered.find(
    ({ failure }) =>
      failure?.code === "claim_lost" || (run.isTriedAgain === true && isLedgerUnavailable(failure)),
  );
  if (lost?.failure !== undefined) return Effect.fail(toError(lost.failure));
  const ending = afterReplies(run, progress, answered);
  return Effect.as(run.runWriter?.keep(progress) ?? Effect.void, ending);
};

const isLedgerUnavailable = (failure: Reply["failure"]): boolean =>
  failure?.code === "ledger_unavailable" && failure.ran === false;

/** Without calls, the text is the answer, unless the provider paused the reply. */
const endWithText = (run: ActiveRun, progress: RunProgress, calls: ModelCalls, reply: ModelStop) => {
  insertAnswers(progress.messages, toToolMessages(calls, []));
  emitTurn(run, progress, progress.agent, calls, []);
  const ending = reply.finish === "pause" ? undefined : endWithReply(run.expectedAnswer, progress, reply);
  if (ending === undefined && reply.finish !== "pause") {
    run.emit?.({ kind: "reset", agent: progress.agent.name, reason: "the answer did not match" });
  }
  return Effect.as(run.runWriter?.keep(progress) ?? Effect.void, ending);
};

const emitTurn = (
  run: ActiveRun,
  progress: RunProgress,
  agent: Agent,
  calls: ModelCalls,
  answered: readonly Reply[],
): void => {
  const { toolsUsed } = progress;
  const invocations = toInvocations(agent.name, calls, answered);
  for (const invocation of invocations) {
    const waited = run.record && toolsUsed.findIndex(({ callId }) => callId === invocation.callId);
    if (waited === undefined || waited < 0) toolsUsed.push(invocation);
    else toolsUsed[waited] = invocation;
  }
  run.emit?.({ kind: "turn", turn: progress.turns, agent: agent.name, invocations });
};

const afterReplies = (
  run: ActiveRun,
  progress: RunProgress,
  replies: readonly Reply[],
): RunEnding | undefined => {
  const pending = replies.flatMap((each) => each.pending ?? []);
  // Final answers and handoffs count only after all calls of the turn have replies.
  if (pending.length > 0) {
    return { status: "pending", content: progress.text, reason: "An approval is pending.", pending };
  }
  return handOffOrEnd(run, progress) ?? (run.signal.aborted ? cancelledEnding(run) : undefined);
};

const handOffOrEnd = (run: ActiveRun, progress: RunProgress): RunEnding | undefined => {
  const { agent, messages } = progress;
  const next = findNextStep(messages, run.agentOf);
  if (next.final !== undefined) {
    const { text, parts } = next.final;
    if (!isBlankText(text) || parts !== undefined) {
      messages.push({ role: "assistant", content: text, ...(parts && { parts }), agent: agent.name });
    }
    return endWithValue(run.expectedAnswer, next.final);
  }
  if (next.agent !== undefined && next.agent !== agent) {
    run.emit?.({ kind: "handoff", from: agent.name, to: next.agent.name });
    recordRunText(run.scope.tally, { source: "application", text: next.agent.instructions });
    progress.agent = next.agent;
  }
  return undefined;
};

const toMessage = (reply: ModelReply, calls: readonly RawCall[], { name }: Agent): AssistantMessage => ({
  role: "assistant",
  content: reply.text,
  ...(reply.parts === undefined ? {} : { parts: reply.parts }),
  ...(reply.reasoning === undefined ? {} : { reasoning: reply.reasoning }),
  ...(calls.length === 0 ? {} : { calls }),
  agent: name,
  ...(reply.finish === "pause" ? { paused: true } : {}),
  ...(reply.echo === undefined ? {} : { echo: reply.echo }),
  ...(reply.taints === undefined ? {} : { taints: reply.taints }),
});

const cancelledEnding = ({ stopReason }: ActiveRun): RunEnding => {
  const reason = stopReason();
  return reason === undefined
    ? { status: "cancelled", reason: "The run was cancelled." }
    : { status: "stopped", reason };
};

/** Undefined if the signal aborts first. */
const untilAborted = <A>(effect: Effect.Effect<A>, signal: AbortSignal): Effect.Effect<A | undefined> => {
  const aborted = Effect.callback<undefined>((resume) => {
    const stop = () => resume(Effect.succeed(undefined));
    if (signal.aborted) stop();
    else signal.addEventListener("abort", stop, { once: true });
    return Effect.sync(() => signal.removeEventListener("abort", stop));
  });
  return Effect.raceFirst(effect, aborted);
};

const emitLosses = (
  tell: ((event: AgentEvent) => void) | undefined,
  { losses, messages, agent }: RunProgress,
  model: string,
  lost: readonly OmittedPart[],
): void => {
  // Without a system message, the request has one more message than the conversation.
  const before = messages[0]?.role === "system" ? 0 : 1;
  for (const each of lost) {
    const loss = Object.freeze({ ...each, message: each.message - before, model });
    const key = `${model} ${loss.message} ${loss.part}`;
    if (losses.has(key)) continue;
    losses.set(key, loss);
    tell?.({ kind: "loss", agent: agent.name, loss });
  }
};

const applyStopPolicies = (
  policies: readonly StopPolicy[],
  progress: RunProgress,
  elapsedMs: number,
): RunEnding | undefined => {
  const { toolsUsed, agent, text, before } = progress;
  const turns = progress.turns - before.turns;
  const usage = subtractUsage(progress.usage, before.usage);
  const state = { turns, usage, toolsUsed, elapsedMs, agent: agent.name };
  for (const policy of policies) {
    const reason = reasonOf(policy, state);
    if (reason !== undefined) return { status: "stopped", content: text, reason };
  }
  return undefined;
};

/** A policy that throws stops the run. */
const reasonOf = (policy: StopPolicy, state: RunState): string | undefined => {
  try {
    return policy(state);
  } catch (error) {
    return `A stop policy failed: ${error instanceof Error ? error.message : String(error)}`;
  }
};
