import type { OfferedTool } from "../../dialects/listed.ts";
import { headOf } from "../../text/cut-text.ts";
import type { ToolMessage } from "../../words/message.ts";
import type { MissingValue } from "./fill.ts";

/** Nobody must take the planner for a language model, so every text of its own begins with this. */
const mark = "(offline planner)";
const longest = 2_000;
const most = 20;

/** A result as a person would write it: a text without its quotes. */
const plain = (content: string): string => {
  let text = content;
  try {
    const value: unknown = JSON.parse(content);
    if (typeof value === "string") text = value;
  } catch {
    // Not JSON: shown as it is.
  }
  return text.length > longest
    ? `${headOf(text, longest)}… (${text.length - longest} more characters)`
    : text;
};

const toSentence = ({ tool, content, ok, pending }: ToolMessage): string => {
  if (pending !== undefined) return `${tool} waits for approval: ${plain(content)}`;
  if (ok) return `${tool} answered: ${plain(content)}`;
  return `${tool} failed: ${plain(content).replace(/^Error: /, "")}`;
};

export const tellReplies = (replies: readonly ToolMessage[]): string =>
  `${mark} ${replies.map(toSentence).join("\n")}`;

export const askFor = ({ wireName }: OfferedTool, missing: readonly MissingValue[]): string => {
  const wanted = missing.map(({ name, about }) => (about === "" ? name : `${name} (${about})`)).join("; ");
  const [first] = missing;
  return `${mark} Before I can call ${wireName} I need: ${wanted}. Ask again with all of it in one message, for example with "${first?.name ?? "key"}: value".`;
};

export const tellNothing = (tools: readonly OfferedTool[]): string => {
  if (tools.length === 0)
    return `${mark} I am shown no tools, and choosing tools by their words is all I can do.`;
  const names = tools.slice(0, most).map(({ wireName }) => wireName);
  const more = tools.length > most ? `, and ${tools.length - most} more` : "";
  return `${mark} None of my tools fits these words. I am shown: ${names.join(", ")}${more}.`;
};

export const say = (text: string): string => `${mark} ${text}`;
