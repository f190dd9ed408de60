import { isObject } from "../../base/json/json-value.ts";
import { headOf, shorten } from "../../base/text/cut-text.ts";
import { estimateTokens } from "../../base/text/estimate-tokens.ts";
import { toolIndex } from "../../registry/selection/tool-index.ts";
import type { RawCall } from "../../types/call.ts";
import type { Issue } from "../../types/json.ts";
import { type Message, type ToolMessage, textOf } from "../../types/message.ts";
import type { ModelReply, ModelRequest } from "../../types/model.ts";
import { loadToolName, searchToolName } from "../../types/tool-search.ts";
import type { OfferedTool } from "../dialects/exporter.ts";
import { checkInput, fillInput, type Input, parseJson, quotedText } from "./fill-input.ts";

interface PlannedCall {
  readonly tool: string;
  readonly input: Input;
}

/** Calls, or the text of the reply. */
type Plan = readonly PlannedCall[] | string;

/** In characters: what is read of a message, and repeated of a result or a list of tools. */
const maxTextLength = 2_000;

/** Plans the reply by the rules in docs/guides/agents.md. The same request always gets the same reply. */
export const planReply = (request: ModelRequest, minScore: number): ModelReply => {
  const plan = planStep(request, minScore);
  const isText = typeof plan === "string";
  const calls = isText ? [] : withIds(request.messages, plan);
  const text = isText ? (fillOutput(request) ?? `(offline planner) ${plan}`) : "";
  const usage = {
    inputTokens: estimateTokens(JSON.stringify([request.messages, request.tools])),
    outputTokens: estimateTokens(JSON.stringify([text, calls])),
  };
  return Object.freeze({ text, calls, usage, finish: isText ? "stop" : "calls" });
};

const lastMessage = (messages: readonly Message[]): string =>
  headOf(textOf(messages.findLast(({ role }) => role === "user") ?? { content: "" }), maxTextLength);

/** The results since the user's last message. */
const lastResults = (messages: readonly Message[]): readonly ToolMessage[] =>
  messages
    .slice(messages.findLastIndex(({ role }) => role === "user") + 1)
    .filter((each) => each.role === "tool");

const searchNames = [searchToolName, loadToolName];
const isHandoff = ({ flow }: ToolMessage): boolean => flow?.kind === "handoff";

const planStep = ({ messages, tools, settings }: ModelRequest, minScore: number): Plan => {
  const message = lastMessage(messages);
  const results = lastResults(messages);
  const handoff = results.findLastIndex(isHandoff);
  const canSearch = searchNames.every((name) => tools.some(({ wireName }) => wireName === name));
  const isSearch = (name: string): boolean => (canSearch || handoff >= 0) && searchNames.includes(name);
  const answers = results.filter((each) => !isHandoff(each) && !isSearch(each.tool));
  if (answers.length > 0) return answers.map(describeResult).join("\n");

  const { toolChoice = "auto" } = settings ?? {};
  if (toolChoice === "none") return "No tool may be called now.";
  const isAllowed = (name: string): boolean => typeof toolChoice !== "object" || toolChoice.tool === name;
  // After a handoff no call is repeated, so two agents cannot hand the conversation back and forth.
  const isCalled = (name: string): boolean => results.some(({ tool }) => tool === name);
  const offered = tools.filter(({ wireName: name }) => !isSearch(name) && !isCalled(name) && isAllowed(name));
  const search = results.slice(handoff + 1).findLast(({ tool }) => isSearch(tool));
  if (search !== undefined) return continueSearch(search, message, offered);
  const plan = planCalls(message, offered, toolChoice === "auto" ? minScore : 0);
  if (plan !== undefined || !canSearch || !isAllowed(searchToolName)) return plan ?? describeTools(offered);
  return [{ tool: searchToolName, input: { query: message } }];
};

/** Loads the best result of a search, or calls the loaded tool. */
const continueSearch = (search: ToolMessage, message: string, offered: readonly OfferedTool[]): Plan => {
  const { tools, loaded, already } = parseFields(search);
  const names = [loaded, already].flat();
  const shown = offered.filter(({ wireName }) => names.includes(wireName));
  if (search.tool === loadToolName) return planCalls(message, shown, 0) ?? describeResult(search);
  const [best] = [tools].flat();
  return isObject(best) ? [{ tool: loadToolName, input: { names: [best.name] } }] : describeResult(search);
};

/** Reads several complete requests sentence by sentence, and otherwise prefers the whole text. */
const planCalls = (text: string, tools: readonly OfferedTool[], minScore: number): Plan | undefined => {
  const index = toolIndex();
  for (const [place, { spec }] of tools.entries()) index.add(String(place), spec);
  const read = (part: string) => {
    const [hit] = index.search(part.replaceAll(quotedText, " "), { limit: 1 });
    const tool = hit !== undefined && hit.score >= minScore ? tools[Number(hit.key)] : undefined;
    const chosen = tool ?? (minScore === 0 ? tools[0] : undefined);
    return chosen && { tool: chosen.wireName, ...fillInput(chosen.spec, part) };
  };
  const calls = new Map<string, PlannedCall>();
  for (const sentence of text.match(sentencePattern) ?? []) {
    const call = read(sentence);
    if (call?.issues.length === 0) calls.set(JSON.stringify([call.tool, call.input]), call);
  }
  const whole = read(text);
  const isComplete = whole?.issues.length === 0;
  if (calls.size > 1 || (calls.size === 1 && !isComplete)) return [...calls.values()];
  return isComplete ? [whole] : whole && describeIssues(whole.tool, whole.issues);
};

const sentencePattern = /(?:"[^"]*"|[.!?](?!\s)|[^.!?;\n])+/g;

const describeIssues = (tool: string, issues: readonly Issue[]): string => {
  const reasons = issues.map(({ message }) => message).join("; ");
  return `${tool} cannot be called: ${reasons}. Write each argument as "name: value", or all of them as a JSON object.`;
};

const describeTools = (tools: readonly OfferedTool[]): string => {
  const names = tools.map(({ wireName }) => wireName).join(", ");
  return `No tool matches the message. Offered: ${shorten(names, maxTextLength) || "none"}.`;
};

const describeResult = ({ tool, content, ok, pending }: ToolMessage): string => {
  const value = parseJson(content);
  const shown = shorten(typeof value === "string" ? value : content, maxTextLength);
  if (pending !== undefined) return `${tool} waits for approval: ${shown}`;
  return ok ? `${tool} answered: ${shown}` : `${tool} failed: ${shown.replace(/^Error: /, "")}`;
};

const parseFields = ({ ok, content }: ToolMessage): Input => {
  const value = ok ? parseJson(content) : undefined;
  return isObject(value) ? value : {};
};

/** A structured answer from the fields of results and the values of the message. */
const fillOutput = ({ output, messages }: ModelRequest): string | undefined => {
  if (output === undefined) return undefined;
  const known = Object.keys(output.spec.input.properties ?? {});
  const fields = lastResults(messages).flatMap((each) => Object.entries(parseFields(each)));
  const answer = Object.fromEntries([
    ...Object.entries(fillInput(output.spec, lastMessage(messages)).input),
    ...fields.filter(([name]) => known.includes(name)),
  ]);
  return checkInput(output.spec, answer).issues.length === 0 ? JSON.stringify(answer) : undefined;
};

/** Ids that no earlier call of the conversation has. */
const withIds = (messages: readonly Message[], planned: readonly PlannedCall[]): readonly RawCall[] => {
  const calls = messages.flatMap((message) => (message.role === "assistant" ? (message.calls ?? []) : []));
  const used = new Set(calls.map(({ id }) => id));
  let last = used.size;
  return planned.map(({ tool, input }, index) => {
    do last++;
    while (used.has(`call-${last}`));
    return { id: `call-${last}`, tool, input: JSON.stringify(input), index, finish: "complete" };
  });
};
