import { headOf } from "../../../base/text/cut-text.ts";
import { dataUrl } from "../../../models/dialects/media/fit-media.ts";
import { type ContentPart, type Message, mediaOf, textOf, type UserMessage } from "../../../types/message.ts";
import { answerIdOf } from "./chat-answer.ts";
import type { AnswerMetadata, UiChunk } from "./ui-chunk.ts";

/** One part of a message, as AI SDK's `UIMessage` has it. */
export type UiPart = Readonly<Record<string, unknown>> & { readonly type: string };

/** Assignable to `UIMessage` of the AI SDK. */
export interface UiMessage {
  readonly id: string;
  readonly role: "user" | "assistant";
  readonly parts: readonly UiPart[];
  readonly metadata?: AnswerMetadata;
}

export const toUserMessage = ({ id = "", content }: UserMessage): UiMessage => ({
  id,
  role: "user",
  parts: typeof content === "string" ? [{ type: "text", text: content }] : content.map(toUiPart),
});

const toUiPart = (part: ContentPart): UiPart => {
  if (part.kind === "text") return { type: "text", text: part.text };
  const named = part.name === undefined ? {} : { filename: part.name };
  return { type: "file", mediaType: part.mediaType, url: dataUrl(part), ...named };
};

export const toAnswerMessage = (
  messageId: string,
  chunks: readonly UiChunk[],
  metadata: AnswerMetadata,
): UiMessage => {
  const parts: Record<string, unknown>[] = [];
  for (const chunk of chunks) applyChunk(parts, chunk);
  return { id: answerIdOf(messageId), role: "assistant", parts: parts as UiPart[], metadata };
};

const applyChunk = (parts: Record<string, unknown>[], chunk: UiChunk): void => {
  switch (chunk.type) {
    case "start-step":
      parts.push({ type: "step-start" });
      return;
    case "reasoning-delta":
      parts.push({ type: "reasoning", text: chunk.delta, state: "done" });
      return;
    case "file":
      parts.push({ type: "file", mediaType: chunk.mediaType, url: chunk.url });
      return;
    case "text-delta":
      parts.push({ type: "text", text: chunk.delta, state: "done" });
      return;
    case "tool-input-available": {
      const { toolName, toolCallId, input, providerExecuted } = chunk;
      const own = providerExecuted === undefined ? {} : { providerExecuted };
      parts.push({ type: `tool-${toolName}`, toolCallId, state: "input-available", input, ...own });
      return;
    }
    case "tool-approval-request": {
      const { approvalId: id, reason, approvalDescriptor } = chunk;
      const about = approvalDescriptor === undefined ? {} : { descriptor: approvalDescriptor };
      const approval = { id, ...about, requestReason: reason };
      updateToolPart(parts, chunk.toolCallId, { state: "approval-requested", approval });
      return;
    }
    case "tool-approval-response":
      applyApprovalResponse(parts, chunk);
      return;
    case "tool-output-available":
      updateToolPart(parts, chunk.toolCallId, { state: "output-available", output: chunk.output });
      return;
    case "tool-output-error":
      updateToolPart(parts, chunk.toolCallId, { state: "output-error", errorText: chunk.errorText });
      return;
    case "tool-output-denied":
      updateToolPart(parts, chunk.toolCallId, { state: "output-denied" });
      return;
    case "data-handoff":
    case "data-approval":
      putDataPart(parts, chunk);
      return;
  }
};

const updateToolPart = (
  parts: Record<string, unknown>[],
  toolCallId: string,
  changes: Readonly<Record<string, unknown>>,
): void => {
  const part = parts.findLast((each) => each.toolCallId === toolCallId);
  if (part !== undefined) Object.assign(part, changes);
};

const applyApprovalResponse = (
  parts: Record<string, unknown>[],
  { approvalId, approved, reason }: Extract<UiChunk, { type: "tool-approval-response" }>,
): void => {
  const part = parts.find(({ approval }) => (approval as { id?: string } | undefined)?.id === approvalId);
  if (part === undefined) return;
  const response = reason === undefined ? { approved } : { approved, reason };
  Object.assign(part, {
    state: "approval-responded",
    approval: { ...(part.approval as object), ...response },
  });
};

const putDataPart = (
  parts: Record<string, unknown>[],
  { type, id, data }: Extract<UiChunk, { type: "data-handoff" | "data-approval" }>,
): void => {
  const known = parts.find((each) => each.type === type && each.id === id);
  if (known === undefined) parts.push({ type, id, data });
  else known.data = data;
};

export const chatTitleOf = (messages: readonly Message[]): string => {
  const first = messages.find((message) => message.role === "user") ?? { content: "" };
  const [file] = mediaOf(first.content);
  const text = textOf(first) || (file === undefined ? "" : (file.name ?? file.mediaType));
  const line = text.replace(/\s+/g, " ").trim();
  return line.length > maxTitleLength ? `${headOf(line, maxTitleLength - 1)}…` : line;
};

const maxTitleLength = 80;
