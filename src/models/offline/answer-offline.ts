import type { RawCall } from "../../words/call.ts";
import { textOf } from "../../words/content.ts";
import type { Message, ToolMessage } from "../../words/message.ts";
import type { ModelReply, ModelRequest, ModelSettings } from "../../words/model.ts";
import { isHandoff } from "./choose.ts";
import { fillOutput } from "./fill-output.ts";
import { type Plan, type PlannedCall, plan } from "./plan.ts";
import {
  isSearch,
  isSearchable,
  loadTool,
  longestQuery,
  notSearched,
  readSearch,
  type Searched,
  searchTool,
} from "./searched.ts";
import { askFor, say, tellNothing, tellReplies } from "./speak.ts";

export interface AnswerOptions {
  readonly minScore: number;
}

const longest = 10_000;
const mostRounds = 3;

interface OfflineAnswer {
  readonly text: string;
  readonly calls: readonly PlannedCall[];
}

const text = (words: string): OfflineAnswer => ({ text: words, calls: [] });

/** The messages since somebody last asked something. */
const sinceAsked = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(messages.findLastIndex(({ role }) => role === "user") + 1);

const isReply = (message: Message): message is ToolMessage => message.role === "tool";

const isTakeover = ({ ok, tool }: ToolMessage): boolean => ok && isHandoff(tool);

/** What the agent that speaks now has done. */
const sinceTakeover = (since: readonly Message[]): readonly Message[] =>
  since.slice(since.findLastIndex((one) => isReply(one) && isTakeover(one)) + 1);

/** An agent that was handed the conversation has not answered yet: the acknowledgement is not news. */
const isHandedOver = (since: readonly Message[]): boolean => {
  const last = since.slice(since.findLastIndex(({ role }) => role === "assistant") + 1);
  const rounds = since.filter(
    ({ role }, index) => role === "tool" && since[index - 1]?.role !== "tool",
  ).length;
  const isOnly = last.length > 0 && last.every((one) => isReply(one) && isTakeover(one));
  return isOnly && rounds < mostRounds;
};

const shown = (tools: ModelRequest["tools"], choice: ModelSettings["toolChoice"]): ModelRequest["tools"] =>
  typeof choice === "object" ? tools.filter(({ wireName }) => wireName === choice.tool) : tools;

const respond = ({ messages, tools, settings }: ModelRequest, { minScore }: AnswerOptions): OfflineAnswer => {
  const asked = textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" }).trim();
  const since = sinceAsked(messages);
  const isOver = isHandedOver(since);
  const canSearch = isSearchable(tools);
  const searched = canSearch ? readSearch(sinceTakeover(since)) : notSearched;
  const isMeta = (name: string): boolean => canSearch && isSearch(name);
  const replies = since.filter(isReply);
  const news = replies.filter((one) => !isTakeover(one) && !isMeta(one.tool));
  if (!isOver && news.length > 0) return text(tellReplies(news));
  if (!isOver && replies.length > 0 && searched.kind === "not") return text(tellReplies(replies));
  if (asked === "" || (since.length > 0 && !isOver && searched.kind === "not")) {
    return text(say("Nothing new is asked of me."));
  }
  if (asked.length > longest)
    return text(say(`This message is longer than the ${longest} characters I read.`));
  const choice = settings?.toolChoice ?? "auto";
  if (choice === "none") return text(say("I may call no tool now, and that is all I can do."));
  const listed = shown(tools, choice).filter(({ wireName }) => !isOver || !isHandoff(wireName));
  const mine = listed.filter(({ wireName }) => !isMeta(wireName));
  const planned = planWith(asked, mine, choice === "auto" ? minScore : 0, searched);
  if (planned.kind === "nothing") {
    return (canSearch ? searchOn(asked, listed, searched) : undefined) ?? text(tellNothing(mine));
  }
  if (planned.kind === "lacking") return text(askFor(planned.listed, planned.missing));
  return { text: "", calls: planned.calls };
};

/** What was searched for and loaded is what is meant, also where its words are not those of the text. */
const planWith = (
  asked: string,
  tools: ModelRequest["tools"],
  minScore: number,
  searched: Searched,
): Plan => {
  const planned = plan(asked, { tools, minScore });
  if (planned.kind !== "nothing" || searched.kind !== "loaded") return planned;
  const loaded = tools.filter(({ wireName }) => searched.names.includes(wireName));
  return loaded.length === 0 ? planned : plan(asked, { tools: loaded, minScore: 0 });
};

/** Nothing of what is listed fits: search once, and load what was found. */
const searchOn = (
  asked: string,
  listed: ModelRequest["tools"],
  searched: Searched,
): OfflineAnswer | undefined => {
  const call = (name: string, input: PlannedCall["input"]): OfflineAnswer | undefined => {
    const found = listed.find(({ wireName }) => wireName === name);
    return found && { text: "", calls: [{ listed: found, input }] };
  };
  if (searched.kind === "not") return call(searchTool, { query: asked.slice(0, longestQuery) });
  if (searched.kind === "found") return call(loadTool, { names: searched.names });
  return searched.kind === "none" ? text(say(searched.why)) : undefined;
};

const wordsIn = (content: string): number => content.match(/\S+/g)?.length ?? 0;

/** Words, for want of a tokenizer: near enough for budgets, not for bills. */
const count = (request: ModelRequest): number => {
  const said = request.messages.map((message) =>
    message.role === "assistant" && message.calls !== undefined
      ? `${message.content} ${message.calls.map(({ tool, input }) => `${tool} ${argumentText(input)}`).join(" ")}`
      : textOf(message),
  );
  const offered = request.tools.map(({ wireName, spec }) => `${wireName} ${spec.description}`);
  return wordsIn([...said, ...offered].join(" "));
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
const inForm = ({ output, messages }: ModelRequest, said: OfflineAnswer): OfflineAnswer => {
  if (output === undefined || said.calls.length > 0) return said;
  const asked = textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" });
  const filled = fillOutput(output, messages.filter(isReply), asked.slice(0, longest));
  return filled === undefined ? said : text(filled);
};

/** The same request always gets the same reply. */
export const answer = (request: ModelRequest, options: AnswerOptions): ModelReply => {
  const said = inForm(request, respond(request, options));
  const calls = withIds(request.messages, said.calls);
  const written = [said.text, ...calls.map(({ tool, input }) => `${tool} ${argumentText(input)}`)].join(" ");
  return Object.freeze({
    text: said.text,
    calls: Object.freeze(calls),
    usage: Object.freeze({ inputTokens: count(request), outputTokens: wordsIn(written) }),
    finish: calls.length > 0 ? "calls" : "stop",
  });
};
