import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import { readPart } from "../../base/json/read-part.ts";
import { type ContentPart, mediaOf, textOf, type UserMessage } from "../../types/message.ts";
import { HttpError } from "../request/http-error.ts";

/** All other fields of the request are ignored. */
export type ChatPost = { readonly chatId: string } & (
  | { readonly kind: "message"; readonly message: ChatUserMessage; readonly isRegeneration: boolean }
  | { readonly kind: "answers"; readonly answers: readonly PageApprovalAnswer[] }
);

export interface ChatUserMessage extends UserMessage {
  readonly id: string;
}

export interface PageApprovalAnswer {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason: string | undefined;
  /** Grants further calls of the tool in this chat. */
  readonly isForChat: boolean;
  /** The call that shows the approval in the page. */
  readonly toolCallId: string | undefined;
}

export const readPost = (body: Readonly<Record<string, unknown>>, maxLength: number): ChatPost => {
  const { id: chatId, messages, trigger = "submit-message", always } = body;
  if (!isChatId(chatId))
    throw invalidPostError("`id` must be the id of the chat, a string of 1 to 200 characters.");
  if (trigger !== "submit-message" && trigger !== "regenerate-message") {
    throw invalidPostError('`trigger` must be "submit-message" or "regenerate-message".');
  }
  if (always !== undefined && always !== "session")
    throw invalidPostError('`always` must be "session" or absent.');
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isObject(last) || !Array.isArray(last.parts)) {
    throw invalidPostError("`messages` must be a list of UI messages. The last one is read.");
  }
  if (last.role === "user") {
    const message = readUserMessage(last.id, last.parts, maxLength);
    return { chatId, kind: "message", message, isRegeneration: trigger === "regenerate-message" };
  }
  const answers =
    last.role === "assistant" ? readApprovalAnswers(last.parts, always === "session", maxLength) : [];
  if (answers.length === 0) {
    throw invalidPostError(
      "The last message must be a user message, or an assistant message with an answered approval request.",
    );
  }
  return { chatId, kind: "answers", answers };
};

const readUserMessage = (id: unknown, parts: readonly unknown[], maxLength: number): ChatUserMessage => {
  if (!isChatId(id)) throw invalidPostError("A message needs an `id`, a string of 1 to 200 characters.");
  const content = readContentParts(parts);
  const text = textOf({ content });
  if (!/\S/.test(text) && mediaOf(content).length === 0) throw invalidPostError("The message is empty.");
  if (text.length > maxLength) {
    throw new HttpError(
      413,
      "too_long",
      `The message has ${text.length} characters. The maximum is ${maxLength}.`,
    );
  }
  return { role: "user", id, content };
};

const readContentParts = (parts: readonly unknown[]): UserMessage["content"] => {
  const accepted: ContentPart[] = [];
  for (const part of parts) {
    if (!isObject(part)) throw invalidPostError("A part of the message is not an object.");
    if (part.type === "file") accepted.push(readFilePart(part));
    else if (part.type === "text" && typeof part.text === "string" && part.text !== "")
      accepted.push({ kind: "text", text: part.text.toWellFormed() });
  }
  return mediaOf(accepted).length === 0 ? textOf({ content: accepted }) : accepted;
};

/** Only data: URLs, to prevent server-side request forgery. */
const readFilePart = ({ mediaType, url, filename }: JsonObject): ContentPart => {
  const type = typeof mediaType === "string" ? mediaType : "";
  const [, data] = typeof url === "string" ? (/^data:[^,]{0,200};base64,(.*)$/s.exec(url) ?? []) : [];
  if (data === undefined) throw new HttpError(415, "file", "Send a file as a data: URL in base64.");
  const kind = /^(image|audio)\//i.exec(type)?.[1]?.toLowerCase() ?? "file";
  const name = typeof filename === "string" && filename !== "" ? { name: filename } : {};
  const reading = readPart({ kind, mediaType: type, data, ...name });
  if (!reading.ok) throw new HttpError(415, "file", `A file of the message ${reading.why}.`);
  return reading.part;
};

const readApprovalAnswers = (
  parts: readonly unknown[],
  isForChat: boolean,
  maxLength: number,
): readonly PageApprovalAnswer[] =>
  parts.flatMap((part): readonly PageApprovalAnswer[] => {
    if (!isObject(part) || part.state !== "approval-responded" || !isObject(part.approval)) return [];
    const { id: approvalId, approved, reason } = part.approval;
    if (!isChatId(approvalId) || typeof approved !== "boolean") return [];
    if (typeof reason === "string" && reason.length > maxLength)
      throw invalidPostError("The reason is too long.");
    const toolCallId = typeof part.toolCallId === "string" ? part.toolCallId : undefined;
    const why = typeof reason === "string" && reason !== "" ? reason : undefined;
    return [{ approvalId, approved, reason: why, isForChat, toolCallId }];
  });

const maxIdLength = 200;

/** IDs come from the page: no control characters or path segments. */
export const isChatId = (id: unknown): id is string =>
  typeof id === "string" && id.length <= maxIdLength && /^[^\p{Cc}]+$/u.test(id) && id !== "." && id !== "..";

const invalidPostError = (message: string): HttpError => new HttpError(400, "invalid", message);
