import type { McpTool } from "../../../models/dialects/mcp/to-mcp.ts";
import { toMcp } from "../../../models/dialects/mcp/to-mcp.ts";
import {
  loadToolSchema,
  maxFoundTools,
  searchToolSchema,
  toolNameSchema,
} from "../../../registry/selection/search-answer.ts";
import { tool } from "../../../tools/tool.ts";
import type { AnyTool } from "../../../types/tool.ts";
import { loadToolName, searchToolName } from "../../../types/tool-search.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import { maxLoadedNames, type ToolFinder } from "./tool-finder.ts";

export interface SearchToolEnv {
  readonly loaded: LoadedTools | undefined;
}

const textSchema = { type: "string" } as const;
const inputSchemaSchema = { type: "object", description: "JSON Schema of its input" } as const;

export const createSearchTools = (finder: ToolFinder): readonly AnyTool[] => [
  tool({
    name: searchToolName,
    description:
      "Finds tools that are not listed. Describe the task in a few words. Call a found tool with call_tool, or add it to the list with load_tools.",
    input: searchToolSchema(maxFoundTools, {
      describe: { type: "boolean", description: "false omits the input schemas" },
    }),
    output: {
      type: "object",
      properties: {
        tools: {
          type: "array",
          description: "Best first",
          items: {
            type: "object",
            properties: {
              name: textSchema,
              summary: textSchema,
              score: { type: "number" },
              inputSchema: inputSchemaSchema,
            },
            required: ["name", "summary", "score"],
          },
        },
        wishes: {
          type: "array",
          description: "If the query has several tasks: the tools for each task",
          items: {
            type: "object",
            properties: { text: textSchema, tools: { type: "array", items: textSchema } },
            required: ["text", "tools"],
          },
        },
        none: { ...textSchema, description: "Why no tool was found" },
      },
      required: ["tools"],
    },
    annotations: { title: "Search tools", readOnly: true, openWorld: false },
    run: ({ query, limit, describe }, { principal }) =>
      finder.find(principal, query, limit, describe !== false),
  }) as AnyTool,
  tool({
    name: loadToolName,
    description:
      "Adds tools that search_tools found to the tool list of this connection. Over HTTP with protocol 2026-07-28 a connection has no list of its own: the result then only describes the tools, and call_tool calls them.",
    input: loadToolSchema(maxLoadedNames),
    output: {
      type: "object",
      properties: {
        loaded: { type: "array", items: textSchema, description: "Listed now" },
        unknown: {
          type: "array",
          description: "Names that match no available tool. `near` has similar names.",
          items: {
            type: "object",
            properties: { name: textSchema, near: { type: "array", items: textSchema } },
            required: ["name", "near"],
          },
        },
        tools: {
          type: "array",
          description: "The tools' input schemas, if they could not be added to the list",
          items: {
            type: "object",
            properties: { name: textSchema, description: textSchema, inputSchema: inputSchemaSchema },
            required: ["name", "description"],
          },
        },
        note: textSchema,
      },
      required: ["loaded", "unknown"],
    },
    annotations: { title: "Load tools", readOnly: true, openWorld: false },
    run: ({ names }, { principal, env }) => finder.load(principal, names, (env as SearchToolEnv).loaded),
  }) as AnyTool,
];

/** Never runs: calls are rewritten. */
const callToolDefinition: McpTool = Object.freeze({
  name: "call_tool",
  title: "Call a tool",
  description:
    "Calls a tool that search_tools found, listed or not. The effect is the same as calling the tool by its name.",
  inputSchema: {
    type: "object",
    properties: {
      name: { ...toolNameSchema, description: "Name from search_tools" },
      arguments: { type: "object", description: "Input of the tool", additionalProperties: true },
    },
    required: ["name", "arguments"],
    additionalProperties: false,
  },
});

export const listSearchTools = (tools: readonly AnyTool[]): readonly McpTool[] =>
  Object.freeze([
    ...toMcp(tools.map(({ spec }) => ({ wireName: spec.name, spec }))).tools,
    callToolDefinition,
  ]);
