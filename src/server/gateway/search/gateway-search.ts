import * as Effect from "effect/Effect";
import { type McpTool, toMcp } from "../../../models/dialects/mcp/to-mcp.ts";
import type { PolicyEngine } from "../../../policy/engine.ts";
import { guardPolicy } from "../../../policy/guard-policy.ts";
import {
  findByAnyName,
  loadToolSchema,
  maxFoundTools,
  resolveNames,
  searchToolSchema,
  toolNameSchema,
  toSearchAnswer,
} from "../../../registry/selection/search-answer.ts";
import { suggestNames } from "../../../registry/suggest-names.ts";
import type { ToolRegistry } from "../../../registry/tool-registry.ts";
import { searchOffer } from "../../../runtime/search-offer.ts";
import type { SharedRuntime } from "../../../runtime/shared-runtime.ts";
import { tool } from "../../../tools/tool.ts";
import { ConfigurationError, type ToolError } from "../../../types/errors.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { Reply } from "../../../types/outcome.ts";
import type { Principal } from "../../../types/principal.ts";
import type { AnyTool, Registration } from "../../../types/tool.ts";
import { loadToolName, searchToolName } from "../../../types/tool-search.ts";
import type { BackendCall } from "../gateway-backend.ts";
import { toolsByNameOf } from "../listed-tools.ts";
import {
  createShortList,
  isSearchToolName,
  type ListedOffer,
  type LoadedTools,
  type SearchSettings,
} from "./short-list.ts";

export interface GatewaySearch {
  readonly shown: (
    principal: Principal,
    listed: ListedOffer,
    loaded: LoadedTools | undefined,
  ) => readonly McpTool[];
  readonly call: (call: BackendCall) => Effect.Effect<Reply, ToolError>;
}

export const openGatewaySearch = async (
  shared: SharedRuntime,
  settings: SearchSettings,
  listFor: (principal: Principal) => ListedOffer,
): Promise<GatewaySearch> => {
  rejectNameCollisions(shared);
  const searchTools = createSearchTools(shared.registry, listFor, settings);
  const { turn } = await shared.openPrivateTools(searchTools);
  const listedAs = searchToolsFor(searchTools, guardPolicy(shared.policy));
  const shortList = createShortList(settings);
  return {
    shown: (principal, listed, loaded) => {
      const listSearchToolsFor = listedAs(principal);
      return listSearchToolsFor === undefined ? listed.list : shortList(listed, listSearchToolsFor, loaded);
    },
    // No idempotency key: loaded tools belong to one connection.
    call: ({ id, tool, input, principal, correlationId, loaded }) => {
      const env: SearchToolEnv = { loaded };
      const options = { principal, correlationId, env };
      return Effect.map(turn([{ id, tool, input }], options), (replies) => replies[0]!);
    },
  };
};

interface SearchToolEnv {
  readonly loaded: LoadedTools | undefined;
}

const maxLoadedNames = 50;

/** Characters of all schemas in one response. */
const maxSchemaLength = 12_000;
/** Suggestions are the most expensive step. */
const maxSuggestedTools = 5;

const textSchema = { type: "string" } as const;
const inputSchemaSchema = { type: "object", description: "JSON Schema of its input" } as const;

/** Finds and loads only tools that the caller is offered. */
const createSearchTools = (
  registry: ToolRegistry,
  listFor: (principal: Principal) => ListedOffer,
  { maxCandidates, minScore }: SearchSettings,
): readonly AnyTool[] => [
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
    run: ({ query, limit = maxCandidates, describe }, { principal }) => {
      const { offer, list } = listFor(principal);
      const search = searchOffer(registry, offer, query, { maxCandidates: limit, minScore });
      const schemaOf = schemaBudget(list);
      return toSearchAnswer(search, (name) => (describe === false ? {} : schemaOf(name)));
    },
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
    run: ({ names }, { principal, env }) => {
      const { loaded } = env as SearchToolEnv;
      const { offer, list } = listFor(principal);
      const { found, unknown } = resolveNames(names, (name) =>
        findByAnyName(registry, offer.byWireName, name),
      );
      const inOrder = [...found]
        .sort((one, other) => (one.key < other.key ? -1 : 1))
        .map(({ wireName }) => wireName);
      loaded?.add(inOrder);
      const answer = {
        loaded: loaded === undefined ? [] : inOrder,
        unknown: unknown.map((name, at) => ({
          name,
          near: at < maxSuggestedTools ? suggestNames(name, offer.registrations, () => true) : [],
        })),
      };
      if (loaded !== undefined || inOrder.length === 0) return answer;
      const schemaOf = schemaBudget(list);
      const tools = inOrder.map((name) => ({
        name,
        description: toolsByNameOf(list).get(name)?.description ?? "",
        ...schemaOf(name),
      }));
      return { ...answer, tools, note: noSessionNote };
    },
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

const listSearchTools = (tools: readonly AnyTool[]): readonly McpTool[] =>
  Object.freeze([
    ...toMcp(tools.map(({ spec }) => ({ wireName: spec.name, spec }))).tools,
    callToolDefinition,
  ]);

const noSessionNote =
  "This connection has no tool list of its own, so no tool was added. Call these tools with call_tool.";

type SchemaOf = (name: string) => { readonly inputSchema?: JsonSchema };

/** A schema that is too long is skipped. */
const schemaBudget = (list: readonly McpTool[]): SchemaOf => {
  let remaining = maxSchemaLength;
  return (name) => {
    const inputSchema = toolsByNameOf(list).get(name)?.inputSchema;
    const size = inputSchema === undefined ? 0 : JSON.stringify(inputSchema).length;
    if (inputSchema === undefined || size > remaining) return {};
    remaining -= size;
    return { inputSchema };
  };
};

const rejectNameCollisions = ({ registry, events }: SharedRuntime): void => {
  const collidingTool = registry.list().find(({ wireName }) => isSearchToolName(wireName));
  if (collidingTool !== undefined)
    throw new ConfigurationError("invalid_config", nameCollisionMessage(collidingTool.key));
  // Later registrations are only reported.
  events.on("tools.registered", ({ toolName }) => {
    if (isSearchToolName(toolName))
      process.emitWarning(`${nameCollisionMessage(toolName)} It is not served until then.`, "HaftWarning");
  });
};

const nameCollisionMessage = (key: string): string =>
  `serve.search adds a tool "${key}", and this runtime already has a tool of that name. Rename the runtime's tool (withName("…") in code; names: "prefixed" for a server), or remove serve.search.`;

type SearchToolsFor = (principal: Principal) => readonly McpTool[] | undefined;

/** Undefined if the caller may not search and must see all tools. */
const searchToolsFor = (
  own: readonly AnyTool[],
  { visible }: Pick<PolicyEngine, "visible">,
): SearchToolsFor => {
  const all = listSearchTools(own);
  const registrations = own.map((tool): Registration => {
    const { name } = tool.spec;
    return Object.freeze({ key: name, wireName: name, origin: "internal", tool, isFree: true });
  });
  return (principal) => {
    const denied = registrations
      .filter((one) => visible(principal, one).effect === "deny")
      .map(({ key }) => key);
    if (denied.length === 0) return all;
    return denied.includes("search_tools") ? undefined : all.filter(({ name }) => !denied.includes(name));
  };
};
