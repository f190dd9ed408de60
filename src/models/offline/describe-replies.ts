import { headOf } from "../../base/text/cut-text.ts";
import type { ToolMessage } from "../../types/message.ts";
import type { OfferedTool } from "../dialects/offered-tool.ts";
import type { MissingValue } from "./fill-input.ts";

/** Nobody must take the planner for a language model, so every text of its own begins with this. */
const offlineMark = "(offline planner)";
const maxReplyLength = 2_000;
const maxListedTools = 20;

/** A result as a person would write it: a text without its quotes. */
const withoutQuotes = (content: string): string => {
  let text = content;
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === "string") text = value;
  } catch {
    // Not JSON: shown as it is.
  }
  return text.length > maxReplyLength
    ? `${headOf(text, maxReplyLength)}… (${text.length - maxReplyLength} more characters)`
    : text;
};

const toSentence = ({ tool, content, ok, pending }: ToolMessage): string => {
  if (pending !== undefined) return `${tool} waits for approval: ${withoutQuotes(content)}`;
  if (ok) return `${tool} answered: ${withoutQuotes(content)}`;
  return `${tool} failed: ${withoutQuotes(content).replace(/^Error: /, "")}`;
};

export const describeReplies = (replies: readonly ToolMessage[]): string =>
  `${offlineMark} ${replies.map(toSentence).join("\n")}`;

export const askForMissing = ({ wireName }: OfferedTool, missing: readonly MissingValue[]): string => {
  const wanted = missing.map(({ name, about }) => (about === "" ? name : `${name} (${about})`)).join("; ");
  const [first] = missing;
  return `${offlineMark} Before I can call ${wireName} I need: ${wanted}. Ask again with all of it in one message, for example with "${first?.name ?? "key"}: value".`;
};

export const explainNoTool = (tools: readonly OfferedTool[]): string => {
  if (tools.length === 0)
    return `${offlineMark} I am shown no tools, and choosing tools by their words is all I can do.`;
  const names = tools.slice(0, maxListedTools).map(({ wireName }) => wireName);
  const more = tools.length > maxListedTools ? `, and ${tools.length - maxListedTools} more` : "";
  return `${offlineMark} None of my tools fits these words. I am shown: ${names.join(", ")}${more}.`;
};

export const withOfflineMark = (text: string): string => `${offlineMark} ${text}`;
