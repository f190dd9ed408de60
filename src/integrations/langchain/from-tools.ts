import { ToolMessage } from "@langchain/core/messages";
import { isDirectToolOutput } from "@langchain/core/messages/tool";
import { AsyncLocalStorageProviderSingleton as Singleton } from "@langchain/core/singletons";
import type { ClientTool, ServerTool, StructuredTool, StructuredToolParams } from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isObject } from "../../json/is-object.ts";
import type { CallContext } from "../../words/call.ts";
import {
  type BridgeLoss,
  type ForeignTools,
  type FromOptions,
  foreignTool,
  takenOver,
} from "../foreign-tool.ts";

/** What `bindTools` and `createAgent` take as tools. */
export type LangChainTool = ClientTool | ServerTool | StructuredToolParams;

/** LangChain's tools as tools here. What has no code to call is left out; `losses` names it, and what else is not kept. */
export const fromLangChainTools = (
  tools: readonly LangChainTool[],
  options: FromOptions = {},
): ForeignTools => {
  const made = tools.filter(isCallable).map((tool) => {
    const { name, description, schema } = tool;
    const run = (input: unknown, context: CallContext) => callTool(tool, input, context);
    return foreignTool({ name, description, input: toJsonSchema(schema, { io: "input" }), run }, options);
  });
  return takenOver(made, tools.flatMap(lossesOf));
};

type Callable = Pick<
  StructuredTool,
  "name" | "description" | "schema" | "invoke" | "extras" | "responseFormat" | "returnDirect"
>;

const isCallable = (tool: LangChainTool): tool is LangChainTool & Callable =>
  "invoke" in tool && typeof tool.invoke === "function";

const lossesOf = (tool: LangChainTool): readonly BridgeLoss[] => {
  if (!isCallable(tool)) return [{ tool: nameOf(tool), what: missingCode(tool) }];
  const { extras, name, responseFormat, returnDirect } = tool;
  return [
    responseFormat === "content_and_artifact" &&
      "It answers with content and an artifact: the content is kept, the artifact is not.",
    returnDirect === true &&
      "It ends its agent's run with its result (returnDirect): here the model is told the result and goes on.",
    extras !== undefined && "Its settings for a provider (extras) are not offered along with it.",
  ]
    .filter((what) => what !== false)
    .map((what) => ({ tool: name, what }));
};

/** A definition may be spelled as a vendor does, with its name inside. */
const nameOf = (tool: LangChainTool): string => {
  const { function: inner, name, type } = tool as ServerTool;
  return String((isObject(inner) ? inner.name : undefined) ?? name ?? type ?? "unnamed");
};

const missingCode = (tool: LangChainTool): string =>
  "schema" in tool || "function" in tool
    ? "It is a definition without code, so it was left out: give the tool itself."
    : "It is run by the model's provider, which nobody here sees, so it was left out.";

/** Outside of whatever graph drives the session, which the tool would pause, or take its answers, in the midst of a call. */
const callTool = async (
  tool: Callable,
  input: unknown,
  { callId, progress, signal }: CallContext,
): Promise<unknown> => {
  const noGraph = { configurable: {} };
  const config = { ...noGraph, signal, toolCallId: callId, callbacks: [{ handleToolEvent: progress }] };
  const answer: unknown = await Singleton.runWithConfig(noGraph, () =>
    tool.invoke(input as never, config),
  ).catch((error: unknown) => {
    throw wantsGraph(error) ? forGraphsOnly(tool) : error;
  });
  if (!isDirectToolOutput(answer)) return answer;
  if (!ToolMessage.isInstance(answer)) throw forGraphsOnly(tool);
  if (answer.status === "error") throw new Error(answer.text);
  return answer.content;
};

/** What LangGraph throws for an interrupt or a command, or where there is nothing to pause. */
const wantsGraph = (error: unknown): boolean =>
  isObject(error) && (error.is_bubble_up === true || error.name === "GraphValueError");

const forGraphsOnly = ({ name }: Callable): Error =>
  new Error(`${name} interrupts its graph or commands it, and is called without a graph here.`);
