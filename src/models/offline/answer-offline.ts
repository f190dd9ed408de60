import { isObject } from "../../base/json/is-object.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { headOf } from "../../base/text/cut-text.ts";
import type { RawCall } from "../../types/call.ts";
import { textOf } from "../../types/content.ts";
import type { Message, ToolMessage } from "../../types/message.ts";
import type { ModelReply, ModelRequest, ModelSettings } from "../../types/model.ts";
import type { OfferedTool } from "../dialects/offered-tool.ts";
import { isHandoff } from "./choose-tool.ts";
import { fillInput, type MissingValue } from "./fill-input.ts";
import { type OfflinePlan, type PlannedCall, planText } from "./plan-text.ts";
import {
  isSearchable,
  isSearchTool,
  loadCallName,
  maxQueryLength,
  notSearched,
  readSearchProgress,
  type SearchProgress,
  searchCallName,
} from "./search-progress.ts";

export interface AnswerOptions {
  readonly minScore: number;
}

const maxTextLength = 10_000;
const maxSearchRounds = 3;

interface OfflineAnswer {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

const textAnswer = (words: string): OfflineAnswer => ({ text: words, calls: [] });

/** The messages since somebody last asked something. */
const sinceUserMessage = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);

const isReply = (message: Message): message is ToolMessage => message.role === "tool";

const isHandoffReply = ({ ok, tool }: ToolMessage): boolean => ok && isHandoff(tool);

/** What the agent that speaks now has done. */
const sinceHandoff = (since: readonly Message[]): readonly Message[] =>
  since.slice(since.findLastIndex((one) => isReply(one) && isHandoffReply(one)) + 1);

/** An agent that was handed the conversation has not answered yet: the acknowledgement is not news. */
const isJustHandedOver = (since: readonly Message[]): boolean => {
  const last = since.slice(since.findLastIndex(({ role }) => role === "assistant") + 1);
  const rounds = since.filter(
    ({ role }, index) => role === "tool" && since[index - 1]?.role !== "tool",
  ).length;
  const isOnly = last.length > 0 && last.every((one) => isReply(one) && isHandoffReply(one));
  return isOnly && rounds < maxSearchRounds;
};

const choosableTools = (
  tools: ModelRequest["tools"],
  choice: ModelSettings["toolChoice"],
): ModelRequest["tools"] =>
  typeof choice === "object" ? tools.filter(({ wireName }) => wireName === choice.tool) : tools;

const respond = ({ messages, tools, settings }: ModelRequest, { minScore }: AnswerOptions): OfflineAnswer => {
  const query = textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" }).trim();
  const since = sinceUserMessage(messages);
  const isOver = isJustHandedOver(since);
  const canSearch = isSearchable(tools);
  const searched = canSearch ? readSearchProgress(sinceHandoff(since)) : notSearched;
  const isMeta = (name: string): boolean => canSearch && isSearchTool(name);
  const replies = since.filter(isReply);
  const newReplies = replies.filter((one) => !isHandoffReply(one) && !isMeta(one.tool));
  if (!isOver && newReplies.length > 0) return textAnswer(describeReplies(newReplies));
  if (!isOver && replies.length > 0 && searched.kind === "not") return textAnswer(describeReplies(replies));
  if (query === "" || (since.length > 0 && !isOver && searched.kind === "not")) {
    return textAnswer(withOfflineMark("Nothing new is asked of me."));
  }
  if (query.length > maxTextLength)
    return textAnswer(withOfflineMark(`This message is longer than the ${maxTextLength} characters I read.`));
  const choice = settings?.toolChoice ?? "auto";
  if (choice === "none")
    return textAnswer(withOfflineMark("I may call no tool now, and that is all I can do."));
  const listed = choosableTools(tools, choice).filter(({ wireName }) => !isOver || !isHandoff(wireName));
  const agentTools = listed.filter(({ wireName }) => !isMeta(wireName));
  const planned = planCalls(query, agentTools, choice === "auto" ? minScore : 0, searched);
  if (planned.kind === "nothing") {
    return (
      (canSearch ? searchForTools(query, listed, searched) : undefined) ??
      textAnswer(explainNoTool(agentTools))
    );
  }
  if (planned.kind === "lacking") return textAnswer(askForMissing(planned.listed, planned.missing));
  return { text: "", calls: planned.calls };
};

/** What was searched for and loaded is what is meant, also where its words are not those of the text. */
const planCalls = (
  requested: string,
  tools: ModelRequest["tools"],
  minScore: number,
  searched: SearchProgress,
): OfflinePlan => {
  const planned = planText(requested, { tools, minScore });
  if (planned.kind !== "nothing" || searched.kind !== "loaded") return planned;
  const loaded = tools.filter(({ wireName }) => searched.names.includes(wireName));
  return loaded.length === 0 ? planned : planText(requested, { tools: loaded, minScore: 0 });
};

/** Nothing of what is listed fits: search once, and load what was found. */
const searchForTools = (
  requested: string,
  listed: ModelRequest["tools"],
  searched: SearchProgress,
): OfflineAnswer | undefined => {
  const call = (name: string, input: PlannedCall["input"]): OfflineAnswer | undefined => {
    const found = listed.find(({ wireName }) => wireName === name);
    return found && { text: "", calls: [{ listed: found, input }] };
  };
  if (searched.kind === "not") return call(searchCallName, { query: requested.slice(0, maxQueryLength) });
  if (searched.kind === "found") return call(loadCallName, { names: searched.names });
  return searched.kind === "none" ? textAnswer(withOfflineMark(searched.why)) : undefined;
};

const wordCount = (content: string): number => content.match(/\S+/g)?.length ?? 0;

/** Words, for want of a tokenizer: near enough for budgets, not for bills. */
const estimateUsage = (request: ModelRequest): number => {
  const texts = request.messages.map((message) =>
    message.role === "assistant" && message.calls !== undefined
      ? `${message.content} ${message.calls.map(({ tool, input }) => `${tool} ${argumentText(input)}`).join(" ")}`
      : textOf(message),
  );
  const offered = request.tools.map(({ wireName, spec }) => `${wireName} ${spec.description}`);
  return wordCount([...texts, ...offered].join(" "));
};

const argumentText = (input: unknown): string =>
  typeof input === "string" ? input : (JSON.stringify(input) ?? "");

/** Ids that no earlier call of the conversation has: replies are told apart by them. */
const withIds = (messages: readonly Message[], calls: readonly PlannedCall[]): readonly RawCall[] => {
  const earlier = messages.flatMap((message) => (message.role === "assistant" ? (message.calls ?? []) : []));
  const used = new Set(earlier.map(({ id }) => id));
  let last = earlier.length;
  return calls.map(({ listed, input }, index) => {
    do last++;
    while (used.has(`call-${last}`));
    const id = `call-${last}`;
    return Object.freeze({
      id,
      tool: listed.wireName,
      input: JSON.stringify(input),
      index,
      finish: "complete",
    });
  });
};

/** In the form that is wanted, where what was asked and answered has it all; in words otherwise. */
const toOutputForm = ({ output, messages }: ModelRequest, said: OfflineAnswer): OfflineAnswer => {
  if (output === undefined || said.calls.length > 0) return said;
  const query = textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" });
  const filled = fillOutput(output, messages.filter(isReply), query.slice(0, maxTextLength));
  return filled === undefined ? said : textAnswer(filled);
};

/** The same request always gets the same reply. */
export const answerOffline = (request: ModelRequest, options: AnswerOptions): ModelReply => {
  const response = toOutputForm(request, respond(request, options));
  const calls = withIds(request.messages, response.calls);
  const written = [response.text, ...calls.map(({ tool, input }) => `${tool} ${argumentText(input)}`)].join(
    " ",
  );
  return Object.freeze({
    text: response.text,
    calls: Object.freeze(calls),
    usage: Object.freeze({ inputTokens: estimateUsage(request), outputTokens: wordCount(written) }),
    finish: calls.length > 0 ? "calls" : "stop",
  });
};

type Fields = Readonly<Record<string, unknown>>;

/** An answer in the form that is wanted, made of what tools answered and the request says. Nothing where both lack something. */
const fillOutput = (
  { spec }: OfferedTool,
  replies: readonly ToolMessage[],
  requested: string,
): string | undefined => {
  const names = Object.keys((spec.input.properties as Fields | undefined) ?? {});
  const replyFields = Object.assign({}, ...replies.map(fieldsIn)) as Fields;
  const known = Object.fromEntries(
    names.flatMap((name) => (name in replyFields ? [[name, replyFields[name]]] : [])),
  );
  const filled = fillInput(spec, requested);
  const judge = compileSchema(spec.input);
  const candidates = filled.ok ? [known, { ...filled.input, ...known }] : [known];
  const fitting = candidates.find((each) => judge(structuredClone(each)).ok);
  return fitting && JSON.stringify(fitting);
};

const fieldsIn = ({ content, ok }: ToolMessage): Fields => {
  try {
    const value: unknown = ok ? JSON.parse(content) : undefined;
    return isObject(value) ? value : {};
  } catch {
    return {};
  }
};

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

const describeReplies = (replies: readonly ToolMessage[]): string =>
  `${offlineMark} ${replies.map(toSentence).join("\n")}`;

const askForMissing = ({ wireName }: OfferedTool, missing: readonly MissingValue[]): string => {
  const wanted = missing.map(({ name, about }) => (about === "" ? name : `${name} (${about})`)).join("; ");
  const [first] = missing;
  return `${offlineMark} Before I can call ${wireName} I need: ${wanted}. Ask again with all of it in one message, for example with "${first?.name ?? "key"}: value".`;
};

const explainNoTool = (tools: readonly OfferedTool[]): string => {
  if (tools.length === 0)
    return `${offlineMark} I am shown no tools, and choosing tools by their words is all I can do.`;
  const names = tools.slice(0, maxListedTools).map(({ wireName }) => wireName);
  const more = tools.length > maxListedTools ? `, and ${tools.length - maxListedTools} more` : "";
  return `${offlineMark} None of my tools fits these words. I am shown: ${names.join(", ")}${more}.`;
};

const withOfflineMark = (text: string): string => `${offlineMark} ${text}`;
