import type { AssistantMessage, Message, ToolMessage } from "../types/message.ts";
import { type ModelCalls, toModelCalls } from "./conversation-calls.ts";

export interface UnfinishedTurn {
  readonly openCalls: ModelCalls | undefined;
  readonly text: string;
  readonly parts?: AssistantMessage["parts"];
  readonly agent: string | undefined;
}

/** Undefined if the model has to be requested next. */
export const findUnfinishedTurn = (messages: readonly Message[]): UnfinishedTurn | undefined => {
  const at = messages.findLastIndex(({ role }) => role === "assistant");
  const last = messages[at] as AssistantMessage | undefined;
  const behind = messages.slice(at + 1);
  if (last === undefined || behind.some(({ role }) => role === "user")) return undefined;
  const { calls = [], agent } = last;
  const { executable, repeated } = toModelCalls(calls);
  if (executable.length === 0) {
    if (last.paused === true) return undefined;
    const text = pausedText(messages.slice(0, at)) + last.content;
    return { openCalls: undefined, text: text, ...(last.parts && { parts: last.parts }), agent };
  }
  const settled = new Set(
    behind.flatMap((one) => (one.role === "tool" && one.pending === undefined ? [one.callId] : [])),
  );
  const open = executable.filter(({ id }) => !settled.has(id));
  return open.length === 0
    ? undefined
    : { openCalls: { calls, executable: open, repeated }, text: last.content, agent };
};

export const pausedText = (messages: readonly Message[]): string => {
  let text = "";
  for (let at = messages.length - 1; at >= 0; at--) {
    const message = messages[at]!;
    if (message.role !== "assistant" || message.paused !== true) break;
    text = message.content + text;
  }
  return text;
};

export const insertAnswers = (messages: Message[], answers: readonly ToolMessage[]): void => {
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
