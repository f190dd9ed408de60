import { dataUrl } from "../../dialects/media/data-url.ts";
import type { ChatQuestion } from "../../runtime/chat/chats.ts";
import type { RawCall } from "../../words/call.ts";
import { type ContentPart, mediaOf } from "../../words/content.ts";
import type { AssistantMessage, ToolMessage } from "../../words/message.ts";
import type { Answer } from "./answer.ts";
import type { Chunk } from "./chunk.ts";

/** One chunk of an answer, and where in it. */
export interface Entry {
  /** The model message it belongs to, from 1. */
  readonly step: number;
  /** Under which it is said once; a piece of a text has none. */
  readonly key?: string;
  readonly chunk: Chunk;
  /** The question it is about: whoever may not answer is told less. */
  readonly question?: ChatQuestion & { readonly toolCallId: string };
}

/**
 * An answer as far as it is on record. The same messages give the same entries in every process, and what comes to be known
 * of a call later only adds to them.
 */
export const entriesOf = ({ messages, agentBefore, questions }: Answer): readonly Entry[] => {
  const entries: Entry[] = [];
  let agent = agentBefore;
  let step = 0;
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    step += 1;
    entries.push(...beginningOf(step, agent, message.agent));
    agent = message.agent;
    entries.push(...reasoningOf(step, message), ...textOf(step, message));
    entries.push(...filesOf(step, "made", message.parts));
    const after = messages.slice(at + 1);
    const next = after.findIndex(({ role }) => role === "assistant");
    const replies = after.slice(0, next < 0 ? undefined : next).filter((each) => each.role === "tool");
    entries.push(...callsOf(step, message, replies, questions));
  }
  return entries;
};

export const beginningOf = (
  step: number,
  before: string | undefined,
  agent: string | undefined,
): readonly Entry[] => {
  const begin: Entry = { step, key: `${step}:start`, chunk: { type: "start-step" } };
  if (before === undefined || agent === undefined || before === agent) return [begin];
  const data = { from: before, to: agent };
  const chunk = { type: "data-handoff", id: `handoff-${step}`, data } as const;
  return [{ step, key: `${step}:handoff`, chunk }, begin];
};

export const reasoningIdOf = (step: number): string => `reasoning-${step}`;

const reasoningOf = (step: number, { reasoning: delta = "" }: AssistantMessage): readonly Entry[] => {
  if (delta === "") return [];
  const id = reasoningIdOf(step);
  return [
    { step, key: `${step}:reasoning-start`, chunk: { type: "reasoning-start", id } },
    { step, key: `${step}:reasoning`, chunk: { type: "reasoning-delta", id, delta } },
    { step, key: `${step}:reasoning-end`, chunk: { type: "reasoning-end", id } },
  ];
};

/** Those whose bytes are here. An address would have the page open it, whoever chose it. */
const filesOf = (step: number, of: string, parts: readonly ContentPart[] = []): readonly Entry[] =>
  mediaOf(parts).flatMap((part, index): readonly Entry[] => {
    if (part.data === undefined) return [];
    const chunk = { type: "file", mediaType: part.mediaType, url: dataUrl(part) } as const;
    return [{ step, key: `${step}:file:${of}:${index}`, chunk }];
  });

export const textIdOf = (step: number): string => `text-${step}`;

const textOf = (step: number, { content }: AssistantMessage): readonly Entry[] => {
  if (content === "") return [];
  const id = textIdOf(step);
  return [
    { step, key: `${step}:text-start`, chunk: { type: "text-start", id } },
    { step, key: `${step}:text`, chunk: { type: "text-delta", id, delta: content } },
    { step, key: `${step}:text-end`, chunk: { type: "text-end", id } },
  ];
};

const callsOf = (
  step: number,
  { calls = [] }: AssistantMessage,
  replies: readonly ToolMessage[],
  questions: readonly ChatQuestion[],
): readonly Entry[] => {
  const entries: Entry[] = calls.map((call) => ({
    step,
    key: inputKey(step, call.id),
    chunk: {
      type: "tool-input-available",
      toolCallId: call.id,
      toolName: call.tool,
      input: toValue(call.input),
      ...(call.providerExecuted === true ? { providerExecuted: true } : {}),
    },
  }));
  for (const call of calls) {
    const reply = replies.find(({ callId }) => callId === call.id);
    for (const question of questionsAbout(call, reply, questions)) {
      entries.push(...questionOf(step, call, question));
    }
    entries.push(...outcomeOf(step, call, reply, questions));
    if (reply?.ok === true) entries.push(...filesOf(step, call.id, reply.parts));
  }
  const isOver = calls.every(
    ({ id, providerExecuted }) =>
      providerExecuted === true ||
      replies.some(({ callId, pending }) => callId === id && pending === undefined),
  );
  return isOver ? [...entries, { step, key: `${step}:finish`, chunk: { type: "finish-step" } }] : entries;
};

export const inputKey = (step: number, callId: string): string => `${step}:input:${callId}`;
export const outputKey = (step: number, callId: string): string => `${step}:output:${callId}`;

/** Those about the call itself, and the one that its code waits for. */
const questionsAbout = (
  { id }: RawCall,
  reply: ToolMessage | undefined,
  questions: readonly ChatQuestion[],
): readonly ChatQuestion[] =>
  questions.filter(
    (each) => (each.callId === id && each.waitsFor === undefined) || each.id === reply?.pending,
  );

const questionOf = (step: number, call: RawCall, asking: ChatQuestion): readonly Entry[] => {
  const { id: approvalId, callId, tool, input, reason, decision } = asking;
  const question = { ...asking, toolCallId: call.id };
  const about = callId === call.id ? {} : { approvalDescriptor: { tool, input } };
  const asked: Entry = {
    step,
    key: `${step}:asked:${approvalId}`,
    chunk: { type: "tool-approval-request", approvalId, toolCallId: call.id, reason, ...about },
    question,
  };
  if (decision === undefined) return [asked];
  const why = decision.kind === "deny" ? decision.reason : undefined;
  const said: Chunk = {
    type: "tool-approval-response",
    approvalId,
    approved: decision.kind !== "deny",
    ...(why === undefined ? {} : { reason: why }),
  };
  return [asked, { step, key: `${step}:said:${approvalId}`, chunk: said, question }];
};

/** What the page reads of a result is what the model read of it. */
const outcomeOf = (
  step: number,
  { id: toolCallId, providerExecuted }: RawCall,
  reply: ToolMessage | undefined,
  questions: readonly ChatQuestion[],
): readonly Entry[] => {
  const key = outputKey(step, toolCallId);
  if (providerExecuted === true) {
    const chunk = { type: "tool-output-available", toolCallId, output: null, providerExecuted } as const;
    return [{ step, key, chunk }];
  }
  if (reply === undefined || reply.pending !== undefined) return [];
  if (reply.ok) {
    return [
      { step, key, chunk: { type: "tool-output-available", toolCallId, output: toValue(reply.content) } },
    ];
  }
  const isDenied = questions.some(
    ({ callId, decision }) => callId === toolCallId && decision?.kind === "deny",
  );
  return isDenied
    ? [{ step, key, chunk: { type: "tool-output-denied", toolCallId } }]
    : [{ step, key, chunk: { type: "tool-output-error", toolCallId, errorText: reply.content } }];
};

/** As a value where the text is JSON; what is none is shown as it came. */
const toValue = (input: unknown): unknown => {
  if (typeof input !== "string") return input ?? null;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
};
