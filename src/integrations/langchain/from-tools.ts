import { ToolMessage } from "@langchain/core/messages";
import { isDirectToolOutput } from "@langchain/core/messages/tool";
import { AsyncLocalStorageProviderSingleton as Singleton } from "@langchain/core/singletons";
import type {
  ClientTool,
  DynamicStructuredTool,
  ServerTool,
  StructuredTool,
  StructuredToolParams,
} from "@langchain/core/tools";
import { toJsonSchema } from "@langchain/core/utils/json_schema";
import { isObject } from "../../base/json/json-value.ts";
import {
  type ImportedTools,
  type ImportLoss,
  type ImportToolsOptions,
  importTool,
  toImportedTools,
} from "../../tools/import-tool.ts";
import type { CallContext } from "../../types/call.ts";
import type { AnyTool, Tool } from "../../types/tool.ts";

/** A tool in any form that `bindTools` and `createAgent` accept. */
export type LangChainTool = ClientTool | ServerTool | StructuredToolParams;

/** The imported tools with their names and types in LangChain. */
export type FromLangChainTools<Tools extends readonly LangChainTool[]> = {
  [At in keyof Tools]: Tools[At] extends DynamicStructuredTool<
    infer _Schema,
    infer _SchemaOutput,
    infer Input,
    infer Output,
    infer _Event,
    infer Name
  >
    ? Tool<Name, Input, Output, never>
    : AnyTool;
}[number];

/**
 * Imports tools of LangChain. Tools without code are left out; `losses` lists what cannot be kept. The
 * idempotency key of a call is `config.metadata.idempotencyKey`.
 */
export const fromLangChainTools = <const Tools extends readonly LangChainTool[]>(
  tools: Tools,
  options: ImportToolsOptions<FromLangChainTools<Tools>> = {},
): ImportedTools<FromLangChainTools<Tools>> => {
  const imported = tools.filter(isCallable).map((tool) => {
    const { name, description, schema } = tool;
    const run = (input: unknown, context: CallContext) => callLangChainTool(tool, input, context);
    return importTool({ name, description, input: toJsonSchema(schema, { io: "input" }), run }, options);
  });
  return toImportedTools(imported, tools.flatMap(lossesOf), options);
};

type CallableTool = Pick<
  StructuredTool,
  "name" | "description" | "schema" | "invoke" | "extras" | "responseFormat" | "returnDirect"
>;

const isCallable = (tool: LangChainTool): tool is LangChainTool & CallableTool =>
  "invoke" in tool && typeof tool.invoke === "function";

const lossesOf = (tool: LangChainTool): readonly ImportLoss[] => {
  if (!isCallable(tool)) return [{ tool: langChainToolName(tool), what: missingCodeReason(tool) }];
  const { extras, name, responseFormat, returnDirect } = tool;
  return [
    responseFormat === "content_and_artifact" &&
      "It returns content and an artifact: the content is kept, the artifact is dropped.",
    returnDirect === true &&
      "It ends its agent's run with its result (returnDirect): here the model receives the result and continues.",
    extras !== undefined && "Its settings for a provider (extras) are not offered along with it.",
  ]
    .filter((what) => what !== false)
    .map((what) => ({ tool: name, what }));
};

/** A definition may have a vendor's form, with the name inside of `function`. */
const langChainToolName = (tool: LangChainTool): string => {
  const { function: inner, name, type } = tool as ServerTool;
  return String((isObject(inner) ? inner.name : undefined) ?? name ?? type ?? "unnamed");
};

const missingCodeReason = (tool: LangChainTool): string =>
  "schema" in tool || "function" in tool
    ? "It is a definition without code, so it was left out: give the tool itself."
    : "The model's provider runs it outside this process, so it was omitted.";

/** Outside of the session's graph, which the tool could otherwise pause or take resume values from. */
const callLangChainTool = async (
  tool: CallableTool,
  input: unknown,
  { callId, idempotencyKey, progress, signal }: CallContext,
): Promise<unknown> => {
  const noGraph = { configurable: {} };
  const config = {
    ...noGraph,
    signal,
    toolCallId: callId,
    metadata: { idempotencyKey },
    callbacks: [{ handleToolEvent: progress }],
  };
  const answer: unknown = await Singleton.runWithConfig(noGraph, () =>
    tool.invoke(input as never, config),
  ).catch((error: unknown) => {
    throw needsGraph(error) ? graphOnlyToolError(tool) : error;
  });
  if (!isDirectToolOutput(answer)) return answer;
  if (!ToolMessage.isInstance(answer)) throw graphOnlyToolError(tool);
  if (answer.status === "error") throw new Error(answer.text);
  return answer.content;
};

/** Whether LangGraph threw for an interrupt or a command. */
const needsGraph = (error: unknown): boolean =>
  isObject(error) && (error.is_bubble_up === true || error.name === "GraphValueError");

const graphOnlyToolError = ({ name }: CallableTool): Error =>
  new Error(`${name} interrupts or commands its graph, but here it is called without a graph.`);
