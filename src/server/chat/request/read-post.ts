import { isObject, type JsonObject } from "../../json/is-object.ts";
import { readPart } from "../../json/read-part.ts";
import { type ContentPart, mediaOf, textOf } from "../../words/content.ts";
import type { UserMessage } from "../../words/message.ts";
import { Refusal } from "./refusal.ts";
import { isId } from "./route.ts";

/** What a page asks for. Everything else that it says is not read: the ledger has it, or nobody should. */
export type Post = { readonly chatId: string } & (
  | { readonly kind: "message"; readonly message: SentMessage; readonly isAgain: boolean }
  | { readonly kind: "answers"; readonly answers: readonly SentAnswer[] }
);

/** A message of a person, as the page named it. */
export interface SentMessage extends UserMessage {
  readonly id: string;
}

/** A person's word on a call that waits. */
export interface SentAnswer {
  readonly approvalId: string;
  readonly approved: boolean;
  readonly reason: string | undefined;
  /** Further calls of the same tool need nobody in this chat. */
  readonly isForChat: boolean;
  /** In which card the page shows the question. */
  readonly toolCallId: string | undefined;
}

export const readPost = (body: Readonly<Record<string, unknown>>, longest: number): Post => {
  const { id: chatId, messages, trigger = "submit-message", always } = body;
  if (!isId(chatId)) throw invalid("`id` names the chat: a text of 1 to 200 characters.");
  if (trigger !== "submit-message" && trigger !== "regenerate-message") {
    throw invalid('`trigger` is "submit-message" or "regenerate-message".');
  }
  if (always !== undefined && always !== "session") throw invalid('`always` is "session", if anything.');
  const last: unknown = Array.isArray(messages) ? messages.at(-1) : undefined;
  if (!isObject(last) || !Array.isArray(last.parts)) {
    throw invalid("`messages` is a list of UI messages, and the last one is what is sent.");
  }
  if (last.role === "user") {
    const message = readMessage(last.id, last.parts, longest);
    return { chatId, kind: "message", message, isAgain: trigger === "regenerate-message" };
  }
  const answers = last.role === "assistant" ? readAnswers(last.parts, always === "session", longest) : [];
  if (answers.length === 0) {
    throw invalid("The last message is neither of the user nor one in which a question was answered.");
  }
  return { chatId, kind: "answers", answers };
};

const readMessage = (id: unknown, parts: readonly unknown[], longest: number): SentMessage => {
  if (!isId(id)) throw invalid("A message has an `id`: a text of 1 to 200 characters.");
  const content = readParts(parts);
  const words = textOf({ content });
  if (!/\S/.test(words) && mediaOf(content).length === 0) throw invalid("The message says nothing.");
  if (words.length > longest) {
    throw new Refusal(
      413,
      "too_long",
      `A message has at most ${longest} characters, this one ${words.length}.`,
    );
  }
  return { role: "user", id, content };
};

/** What of a message is taken: its texts, and its files in the order in which they are meant. */
const readParts = (parts: readonly unknown[]): UserMessage["content"] => {
  const taken: ContentPart[] = [];
  for (const part of parts) {
    if (!isObject(part)) throw invalid("A part of the message is no object.");
    if (part.type === "file") taken.push(readFile(part));
    else if (part.type === "text" && typeof part.text === "string" && part.text !== "")
      taken.push({ kind: "text", text: part.text.toWellFormed() });
  }
  return mediaOf(taken).length === 0 ? textOf({ content: taken }) : taken;
};

/** With its bytes, as `useChat` sends it: an address would have somebody open what a page chose. */
const readFile = ({ mediaType, url, filename }: JsonObject): ContentPart => {
  const type = typeof mediaType === "string" ? mediaType : "";
  const [, data] = typeof url === "string" ? (/^data:[^,]{0,200};base64,(.*)$/s.exec(url) ?? []) : [];
  if (data === undefined)
    throw new Refusal(415, "file", "A file is sent with its bytes, as a data: URL in base64.");
  const kind = /^(image|audio)\//i.exec(type)?.[1]?.toLowerCase() ?? "file";
  const name = typeof filename === "string" && filename !== "" ? { name: filename } : {};
  const reading = readPart({ kind, mediaType: type, data, ...name });
  if (!reading.ok) throw new Refusal(415, "file", `A file of the message ${reading.why}.`);
  return reading.part;
};

const readAnswers = (parts: readonly unknown[], isForChat: boolean, longest: number): readonly SentAnswer[] =>
  parts.flatMap((part): readonly SentAnswer[] => {
    if (!isObject(part) || part.state !== "approval-responded" || !isObject(part.approval)) return [];
    const { id: approvalId, approved, reason } = part.approval;
    if (!isId(approvalId) || typeof approved !== "boolean") return [];
    if (typeof reason === "string" && reason.length > longest) throw invalid("The reason is too long.");
    const toolCallId = typeof part.toolCallId === "string" ? part.toolCallId : undefined;
    const why = typeof reason === "string" && reason !== "" ? reason : undefined;
    return [{ approvalId, approved, reason: why, isForChat, toolCallId }];
  });

const invalid = (message: string): Refusal => new Refusal(400, "invalid", message);
