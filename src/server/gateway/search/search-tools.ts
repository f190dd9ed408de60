import type { McpTool } from "../../../models/dialects/mcp/to-mcp.ts";
import { toMcp } from "../../../models/dialects/mcp/to-mcp.ts";
import { tool } from "../../../tools/tool.ts";
import type { AnyTool } from "../../../types/tool.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import { maxFoundTools } from "./search-settings.ts";
import { maxLoadedNames, type ToolFinder } from "./tool-finder.ts";

export interface SearchToolEnv {
  readonly loaded: LoadedTools | undefined;
}

const nameSchema = { type: "string", minLength: 1, maxLength: 300 } as const;
const textSchema = { type: "string" } as const;
const inputSchemaSchema = { type: "object", description: "What it takes, as a JSON Schema" } as const;

export const createSearchTools = (finder: ToolFinder): readonly AnyTool[] => [
  tool({
    name: "search_tools",
    description:
      "Finds tools that are not listed. Say in a few words what is to be done. A tool that is found can be called at once with call_tool, or listed with load_tools.",
    input: {
      type: "object",
      properties: {
        query: { type: "string", minLength: 1, maxLength: 2_000, description: "What is to be done" },
        limit: { type: "integer", minimum: 1, maximum: maxFoundTools, description: "How many tools at most" },
        describe: { type: "boolean", description: "false leaves out what the tools take" },
      },
      required: ["query"],
      additionalProperties: false,
    },
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
          description: "Where several things were asked for: which tools answer which of them",
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
    name: "load_tools",
    description:
      "Lists tools that search_tools found, from now on and for this connection. Over HTTP with protocol 2026-07-28 nothing is kept between requests: it then only tells what the tools take, and call_tool calls them.",
    input: {
      type: "object",
      properties: {
        names: {
          type: "array",
          items: nameSchema,
          minItems: 1,
          maxItems: maxLoadedNames,
          description: "As they were found",
        },
      },
      required: ["names"],
      additionalProperties: false,
    },
    output: {
      type: "object",
      properties: {
        loaded: { type: "array", items: textSchema, description: "Listed now" },
        unknown: {
          type: "array",
          description: "Nothing of this name can be used; near are names that may have been meant",
          items: {
            type: "object",
            properties: { name: textSchema, near: { type: "array", items: textSchema } },
            required: ["name", "near"],
          },
        },
        tools: {
          type: "array",
          description: "What the tools take, where they could not be listed",
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
    "Calls a tool that search_tools found, whether or not it is listed. It is the same as calling it by its name.",
  inputSchema: {
    type: "object",
    properties: {
      name: { ...nameSchema, description: "As it was found" },
      arguments: { type: "object", description: "What the tool takes", additionalProperties: true },
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
