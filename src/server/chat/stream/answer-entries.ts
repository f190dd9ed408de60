import { dataUrl } from "../../../models/dialects/media/fit-media.ts";
import type { ChatApproval } from "../../../runtime/chat/open-chats.ts";
import type { RawCall } from "../../../types/call.ts";
import {
  type AssistantMessage,
  type ContentPart,
  mediaOf,
  type ToolMessage,
} from "../../../types/message.ts";
import type { ChatAnswer } from "./chat-answer.ts";
import type { UiChunk } from "./ui-chunk.ts";

export interface AnswerEntry {
  /** Number of the model message, from 1. */
  readonly step: number;
  /** Emitted once per key. */
  readonly key?: string;
  readonly chunk: UiChunk;
  /** Viewers who may not answer it see less. */
  readonly question?: ChatApproval & { readonly toolCallId: string };
}

/** Every process derives the same entries; later records only add to them. */
export const answerEntriesOf = ({ messages, agentBefore, questions }: ChatAnswer): readonly AnswerEntry[] => {
  const entries: AnswerEntry[] = [];
  let agent = agentBefore;
  let step = 0;
  for (const [at, message] of messages.entries()) {
    if (message.role !== "assistant") continue;
    step += 1;
    entries.push(...stepStartEntries(step, agent, message.agent));
    agent = message.agent;
    entries.push(...reasoningEntries(step, message), ...textEntries(step, message));
    entries.push(...fileEntries(step, "made", message.parts));
    const after = messages.slice(at + 1);
    const next = after.findIndex(({ role }) => role === "assistant");
    const replies = after.slice(0, next < 0 ? undefined : next).filter((each) => each.role === "tool");
    entries.push(...callEntries(step, message, replies, questions));
  }
  return entries;
};

export const stepStartEntries = (
  step: number,
  before: string | undefined,
  agent: string | undefined,
): readonly AnswerEntry[] => {
  const begin: AnswerEntry = { step, key: `${step}:start`, chunk: { type: "start-step" } };
  if (before === undefined || agent === undefined || before === agent) return [begin];
  const data = { from: before, to: agent };
  const chunk = { type: "data-handoff", id: `handoff-${step}`, data } as const;
  return [{ step, key: `${step}:handoff`, chunk }, begin];
};

export const reasoningIdOf = (step: number): string => `reasoning-${step}`;

const reasoningEntries = (
  step: number,
  { reasoning: delta = "" }: AssistantMessage,
): readonly AnswerEntry[] => {
  if (delta === "") return [];
  const id = reasoningIdOf(step);
  return [
    { step, key: `${step}:reasoning-start`, chunk: { type: "reasoning-start", id } },
    { step, key: `${step}:reasoning`, chunk: { type: "reasoning-delta", id, delta } },
    { step, key: `${step}:reasoning-end`, chunk: { type: "reasoning-end", id } },
  ];
};

/** Without URLs, which the page would request. */
const fileEntries = (step: number, of: string, parts: readonly ContentPart[] = []): readonly AnswerEntry[] =>
  mediaOf(parts).flatMap((part, index): readonly AnswerEntry[] => {
    if (part.data === undefined) return [];
    const chunk = { type: "file", mediaType: part.mediaType, url: dataUrl(part) } as const;
    return [{ step, key: `${step}:file:${of}:${index}`, chunk }];
  });

export const textIdOf = (step: number): string => `text-${step}`;

const textEntries = (step: number, { content }: AssistantMessage): readonly AnswerEntry[] => {
  if (content === "") return [];
  const id = textIdOf(step);
  return [
    { step, key: `${step}:text-start`, chunk: { type: "text-start", id } },
    { step, key: `${step}:text`, chunk: { type: "text-delta", id, delta: content } },
    { step, key: `${step}:text-end`, chunk: { type: "text-end", id } },
  ];
};

const callEntries = (
  step: number,
  { calls = [] }: AssistantMessage,
  replies: readonly ToolMessage[],
  questions: readonly ChatApproval[],
): readonly AnswerEntry[] => {
  const entries: AnswerEntry[] = calls.map((call) => ({
    step,
    key: inputEntryKey(step, call.id),
    chunk: {
      type: "tool-input-available",
      toolCallId: call.id,
      toolName: call.tool,
      input: parseJsonOrText(call.input),
      ...(call.providerExecuted === true ? { providerExecuted: true } : {}),
    },
  }));
  for (const call of calls) {
    const reply = replies.find(({ callId }) => callId === call.id);
    for (const question of approvalsOfCall(call, reply, questions)) {
      entries.push(...approvalEntries(step, call, question));
    }
    entries.push(...outcomeEntries(step, call, reply, questions));
    if (reply?.ok === true) entries.push(...fileEntries(step, call.id, reply.parts));
  }
  const isOver = calls.every(
    ({ id, providerExecuted }) =>
      providerExecuted === true ||
      replies.some(({ callId, pending }) => callId === id && pending === undefined),
  );
  return isOver ? [...entries, { step, key: `${step}:finish`, chunk: { type: "finish-step" } }] : entries;
};

export const inputEntryKey = (step: number, callId: string): string => `${step}:input:${callId}`;
export const outputEntryKey = (step: number, callId: string): string => `${step}:output:${callId}`;

/** Of the call itself, and the one its code waits for. */
const approvalsOfCall = (
  { id }: RawCall,
  reply: ToolMessage | undefined,
  questions: readonly ChatApproval[],
): readonly ChatApproval[] =>
  questions.filter(
    (each) => (each.callId === id && each.waitsFor === undefined) || each.id === reply?.pending,
  );

const approvalEntries = (step: number, call: RawCall, chatApproval: ChatApproval): readonly AnswerEntry[] => {
  const { id: approvalId, callId, tool, input, reason, decision } = chatApproval;
  const question = { ...chatApproval, toolCallId: call.id };
  const about = callId === call.id ? {} : { approvalDescriptor: { tool, input } };
  const requestEntry: AnswerEntry = {
    step,
    key: `${step}:asked:${approvalId}`,
    chunk: { type: "tool-approval-request", approvalId, toolCallId: call.id, reason, ...about },
    question,
  };
  if (decision === undefined) return [requestEntry];
  const why = decision.kind === "deny" ? decision.reason : undefined;
  const responseEntry: UiChunk = {
    type: "tool-approval-response",
    approvalId,
    approved: decision.kind !== "deny",
    ...(why === undefined ? {} : { reason: why }),
  };
  return [requestEntry, { step, key: `${step}:said:${approvalId}`, chunk: responseEntry, question }];
};

const outcomeEntries = (
  step: number,
  { id: toolCallId, providerExecuted }: RawCall,
  reply: ToolMessage | undefined,
  questions: readonly ChatApproval[],
): readonly AnswerEntry[] => {
  const key = outputEntryKey(step, toolCallId);
  if (providerExecuted === true) {
    const chunk = { type: "tool-output-available", toolCallId, output: null, providerExecuted } as const;
    return [{ step, key, chunk }];
  }
  if (reply === undefined || reply.pending !== undefined) return [];
  if (reply.ok) {
    return [
      {
        step,
        key,
        chunk: { type: "tool-output-available", toolCallId, output: parseJsonOrText(reply.content) },
      },
    ];
  }
  const isDenied = questions.some(
    ({ callId, decision }) => callId === toolCallId && decision?.kind === "deny",
  );
  return isDenied
    ? [{ step, key, chunk: { type: "tool-output-denied", toolCallId } }]
    : [{ step, key, chunk: { type: "tool-output-error", toolCallId, errorText: reply.content } }];
};

const parseJsonOrText = (input: unknown): unknown => {
  if (typeof input !== "string") return input ?? null;
  try {
    return JSON.parse(input);
  } catch {
    return input;
  }
};
