import type { AssistantMessage, Message, ToolMessage } from "../words/message.ts";
import { askedBefore, type ModelCalls } from "./conversation-calls.ts";

/** What a run that was left has still to do before its model is asked again. */
export interface UnfinishedRun {
  /** Calls without an answer, or whose answer waited for a person. */
  readonly asked: ModelCalls | undefined;
  /** What the model said last, if it called nothing. */
  readonly said: string;
  /** Who asked. */
  readonly agent: string | undefined;
}

/** Nothing where the model has not answered yet, or has heard all it asked for. */
export const leftBy = (messages: readonly Message[]): UnfinishedRun | undefined => {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const last = messages[at] as AssistantMessage | undefined;
  const behind = messages.slice(at + 1);
  if (last === undefined || behind.some(({ role }) => role === "user")) return undefined;
  const calls = last.calls ?? [];
  if (calls.length === 0) return { asked: undefined, said: last.content, agent: last.agent };
  const settled = new Set(
    behind.flatMap((one) => (one.role === "tool" && one.pending === undefined ? [one.callId] : [])),
  );
  const { ours, repeated } = askedBefore(calls);
  const open = ours.filter(({ id }) => !settled.has(id));
  return open.length === 0
    ? undefined
    : { asked: { calls, ours: open, repeated }, said: last.content, agent: last.agent };
};

/** Behind the calls they answer; an answer that came takes the place of the one that said it would. */
export const putAnswers = (messages: Message[], answers: readonly ToolMessage[]): void => {
  for (const answer of answers) {
    const waited = messages.findLastIndex(
      (one) => one.role === "tool" && one.callId === answer.callId && one.pending !== undefined,
    );
    if (waited >= 0) messages[waited] = answer;
    else if (!isAnswered(messages, answer.callId)) messages.push(answer);
  }
};

const isAnswered = (messages: readonly Message[], callId: string): boolean =>
  messages.some((one) => one.role === "tool" && one.callId === callId);
