import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { addRunTaints } from "../call/recorder.ts";
import { taintsOfProvider } from "../call/run-tally.ts";
import type { Agent, AgentResponse } from "../words/agent.ts";
import type { RawCall } from "../words/call.ts";
import { type ToolError, toError } from "../words/errors.ts";
import type { FailureCode } from "../words/failures.ts";
import type { AssistantMessage } from "../words/message.ts";
import type { ModelReply } from "../words/model.ts";
import type { Reply } from "../words/reply.ts";
import type { RunRecord } from "../words/run-book.ts";
import { answerAsText } from "./answer/read-answer.ts";
import {
  idsIn,
  invocationsIn,
  type ModelCalls,
  toInvocations,
  toToolMessages,
  withOwnIds,
} from "./conversation-calls.ts";
import { isBlank, lastValue, lastWord, type Stopping } from "./last-word.ts";
import { correct, follow } from "./next-step.ts";
import { add, type RunEnding, type RunProgress, toResponse, withResponse } from "./progress.ts";
import type { AgentTurn, Running } from "./running.ts";
import { stopFor } from "./stop-for.ts";
import { tellLosses } from "./tell-losses.ts";
import { toQuestion } from "./to-question.ts";
import { leftBy, pausedText, putAnswers } from "./unfinished-run.ts";
import { untilAborted } from "./until-aborted.ts";

/** Asks the model, answers its calls, and asks again, until there is a last word or a reason to stop. */
export const runAgent = (running: Running): Effect.Effect<AgentResponse, ToolError> =>
  Effect.gen(function* () {
    const progress = begin(running);
    const clock = yield* Clock.Clock;
    const since = clock.currentTimeMillisUnsafe();
    const end = (ending: RunEnding): AgentResponse => toResponse(running.scope.id, progress, ending);
    // Whatever ends the run, what was said until then is not lost.
    const keep = (error: ToolError) => withResponse(error, end({ status: "failed", reason: error.message }));

    const stops = () => stopFor(running.stop, progress, clock.currentTimeMillisUnsafe() - since);
    let ending: RunEnding | undefined;
    if (running.before !== undefined) {
      ending = yield* Effect.mapError(goOn(running, progress, running.before), keep);
      ending ??= stops();
    } else ending = lead(running, progress);
    while (ending === undefined) {
      ending = (yield* Effect.mapError(takeTurn(running, progress), keep)) ?? stops();
    }
    return end(ending);
  });

const begin = ({ agent, messages, before, chat }: Running): RunProgress => ({
  agent,
  messages: [...messages],
  toolsUsed: before === undefined ? [] : [...invocationsIn(messages.slice(before.given))],
  taken: idsIn(messages),
  usage: before?.usage ?? { inputTokens: 0, outputTokens: 0 },
  turns: before?.turns ?? 0,
  text: "",
  asksAgain: 0,
  losses: new Map(),
  before: before === undefined || chat === undefined ? nothingBefore : countedBefore(before),
});

const nothingBefore = { turns: 0, usage: { inputTokens: 0, outputTokens: 0 } };

/** Of a chat, what came before the answer that is gone on with. */
const countedBefore = ({ messages, given, turns, usage }: RunRecord): RunProgress["before"] => {
  const sofar = messages.slice(given).filter(({ role }) => role === "assistant").length;
  return { turns: Math.max(0, turns - sofar), usage };
};

/** What was left is done first. In a chat, the answer to it may then be what a person says next. */
const goOn = (
  running: Running,
  progress: RunProgress,
  before: RunRecord,
): Effect.Effect<RunEnding | undefined, ToolError> =>
  Effect.gen(function* () {
    const ending = yield* catchUp(running, progress, before);
    const { says, settlesOnly } = running.chat ?? {};
    if (ending?.status === "pending" || ending?.status === "cancelled") return ending;
    if (settlesOnly === true) return withdrawn;
    if (says === undefined) return ending;
    progress.messages.push(says);
    progress.toolsUsed.length = 0;
    progress.before = { turns: progress.turns, usage: progress.usage };
    yield* running.keeper?.keep(progress) ?? Effect.void;
    return undefined;
  });

const withdrawn: RunEnding = { status: "cancelled", reason: "What waited was withdrawn." };

/** What the last message of a run that was left asked for and has not heard yet, of the agent that asked. */
const catchUp = (
  running: Running,
  progress: RunProgress,
  before: RunRecord,
): Effect.Effect<RunEnding | undefined, ToolError> =>
  Effect.gen(function* () {
    const left = leftBy(progress.messages);
    if (left === undefined) return lead(running, progress);
    if (left.asked === undefined) {
      progress.text = left.said;
      return lastWord(running.wanted, progress, { finish: "stop", ...(left.parts && { parts: left.parts }) });
    }
    const { services, signal } = running;
    if (signal.aborted) return cancelled(running);
    const agent = running.agentOf(left.agent ?? before.agent) ?? progress.agent;
    const model = yield* services.modelOf(agent);
    const tools = yield* services.bind(agent, model, progress.messages);
    const step: AgentTurn = { agent, tools, model, signal };
    const replies = yield* services.recover(left.asked.ours, step);
    // What nobody can tell yet is no answer: the run stays as it was left, and can be resumed again.
    const untold = replies.find(({ failure }) => failure !== undefined && untellable.has(failure.code));
    if (untold?.failure !== undefined) return yield* Effect.fail(toError(untold.failure));
    return yield* settle(running, progress, step, left.asked, replies);
  });

const untellable: ReadonlySet<FailureCode> = new Set<FailureCode>(["ledger_unavailable", "still_running"]);

/** One question to the model and the answers to its calls. Says how the run ends, if it does. */
const takeTurn = (running: Running, progress: RunProgress): Effect.Effect<RunEnding | undefined, ToolError> =>
  Effect.gen(function* () {
    const { services, signal, tell } = running;
    const { agent } = progress;
    if (signal.aborted) return cancelled(running);
    const model = yield* services.modelOf(agent);
    const tools = yield* services.bind(agent, model, progress.messages);
    const step: AgentTurn = { agent, tools, model, signal };
    const question = toQuestion(step, running, progress);
    const answer = yield* untilAborted(services.ask(question), signal);
    if (answer === undefined) return cancelled(running);
    if (!answer.ok) return yield* Effect.fail(toError(answer.failure));
    const reply = question.answer === undefined ? answer.reply : answerAsText(answer.reply, question.answer);
    progress.turns += 1;
    progress.text = pausedText(progress.messages) + reply.text;
    progress.usage = add(progress.usage, reply.usage);
    tell?.({ kind: "usage", usage: progress.usage });
    tellLosses(tell, progress, model.id, reply.losses ?? []);

    addRunTaints(running.scope.tally, taintsOfProvider(reply.calls));
    const asked = withOwnIds(reply.calls, progress.taken, services.newCallId);
    if (!isBlank(reply.text) || asked.calls.length > 0 || reply.parts !== undefined) {
      const message = toMessage(reply, asked.calls, agent);
      progress.messages.push(running.chat === undefined ? message : { ...message, usage: reply.usage });
    }
    // The calls are on record before any of them runs, so that each keeps its name whoever goes on with the run.
    yield* running.keeper?.keep(progress) ?? Effect.void;
    if (asked.ours.length === 0) return yield* spoken(running, progress, asked, reply);
    tell?.({ kind: "calls", agent: agent.name, calls: asked.calls });
    return yield* settle(running, progress, step, asked, yield* services.turn(asked.ours, step));
  });

/** Every call has its reply: they are put into the conversation, and lead somewhere. */
const settle = (
  running: Running,
  progress: RunProgress,
  { agent, tools }: AgentTurn,
  asked: ModelCalls,
  replies: readonly Reply[],
): Effect.Effect<RunEnding | undefined, ToolError> => {
  const answered = replies.map((each) => correct(agent.name, tools.targets, each));
  putAnswers(progress.messages, toToolMessages(asked, answered));
  tellTurn(running, progress, agent, asked, answered);
  const lost = answered.find(
    ({ failure }) => failure?.code === "claim_lost" || (running.isTriedAgain === true && isKeptBack(failure)),
  );
  if (lost?.failure !== undefined) return Effect.fail(toError(lost.failure));
  const ending = after(running, progress, answered);
  return Effect.as(running.keeper?.keep(progress) ?? Effect.void, ending);
};

/** Nothing ran, and nothing is on record of it. */
const isKeptBack = (failure: Reply["failure"]): boolean =>
  failure?.code === "ledger_unavailable" && failure.ran === false;

/** The model called nothing of ours, so what it said is the answer, unless its provider only paused it. */
const spoken = (running: Running, progress: RunProgress, asked: ModelCalls, reply: Stopping) => {
  putAnswers(progress.messages, toToolMessages(asked, []));
  tellTurn(running, progress, progress.agent, asked, []);
  const ending = reply.finish === "pause" ? undefined : lastWord(running.wanted, progress, reply);
  if (ending === undefined && reply.finish !== "pause") {
    running.tell?.({ kind: "reset", agent: progress.agent.name, reason: "the answer did not fit" });
  }
  return Effect.as(running.keeper?.keep(progress) ?? Effect.void, ending);
};

const tellTurn = (
  running: Running,
  progress: RunProgress,
  agent: Agent,
  asked: ModelCalls,
  answered: readonly Reply[],
): void => {
  const { toolsUsed } = progress;
  const invocations = toInvocations(agent.name, asked, answered);
  for (const invocation of invocations) {
    // One that waited before stands where it was asked for.
    const waited = running.before && toolsUsed.findIndex(({ callId }) => callId === invocation.callId);
    if (waited === undefined || waited < 0) toolsUsed.push(invocation);
    else toolsUsed[waited] = invocation;
  }
  running.tell?.({ kind: "turn", turn: progress.turns, agent: agent.name, invocations });
};

/** What the replies to a turn lead to: waiting for a person, an end, another agent, or the model once more. */
const after = (running: Running, progress: RunProgress, replies: readonly Reply[]): RunEnding | undefined => {
  const pending = replies.flatMap((each) => each.pending ?? []);
  // Neither a final answer nor a handoff counts before every call of the turn has its reply.
  if (pending.length > 0) {
    return { status: "pending", content: progress.text, reason: "A person must answer first.", pending };
  }
  return lead(running, progress) ?? (running.signal.aborted ? cancelled(running) : undefined);
};

/** Where the last turn leads, now that all of its calls are answered: its final answer, or another agent that goes on. */
const lead = (running: Running, progress: RunProgress): RunEnding | undefined => {
  const { agent, messages } = progress;
  const next = follow(messages, running.agentOf);
  if (next.final !== undefined) {
    const { text, parts } = next.final;
    if (!isBlank(text) || parts !== undefined) {
      messages.push({ role: "assistant", content: text, ...(parts && { parts }), agent: agent.name });
    }
    return lastValue(running.wanted, next.final);
  }
  if (next.agent !== undefined && next.agent !== agent) {
    running.tell?.({ kind: "handoff", from: agent.name, to: next.agent.name });
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
});

const cancelled = ({ stoppedBecause }: Running): RunEnding => {
  const reason = stoppedBecause();
  return reason === undefined
    ? { status: "cancelled", reason: "The run was cancelled." }
    : { status: "stopped", reason };
};
