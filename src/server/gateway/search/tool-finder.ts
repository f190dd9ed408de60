import type { McpTool } from "../../../models/dialects/mcp/to-mcp.ts";
import { findByAnyName, resolveNames, toSearchAnswer } from "../../../registry/selection/search-answer.ts";
import { suggestNames } from "../../../registry/suggest-names.ts";
import type { ToolRegistry } from "../../../registry/tool-registry.ts";
import { searchOffer } from "../../../runtime/search-offer.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { Principal } from "../../../types/principal.ts";
import type { Registration } from "../../../types/tool.ts";
import { toolsByNameOf } from "../listed-tools.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import type { SearchSettings } from "./search-settings.ts";
import type { ListedOffer } from "./short-list.ts";

export const maxLoadedNames = 50;

/** Characters of all schemas in one response. */
const maxSchemaLength = 12_000;
/** Suggestions are the most expensive step. */
const maxSuggestedTools = 5;

interface LoadToolsAnswer {
  readonly loaded: readonly string[];
  readonly unknown: readonly { readonly name: string; readonly near: readonly string[] }[];
  readonly tools?: readonly Pick<McpTool, "name" | "description">[];
  readonly note?: string;
}

/** Finds and loads only tools that the caller is offered. */
export interface ToolFinder {
  readonly find: (
    principal: Principal,
    query: string,
    limit: number | undefined,
    describes: boolean,
  ) => ReturnType<typeof toSearchAnswer>;
  readonly load: (
    principal: Principal,
    names: readonly string[],
    loaded: LoadedTools | undefined,
  ) => LoadToolsAnswer;
}

export const createToolFinder = (
  registry: ToolRegistry,
  listFor: (principal: Principal) => ListedOffer,
  { maxCandidates, minScore }: SearchSettings,
): ToolFinder => ({
  find: (principal, query, limit = maxCandidates, includesSchemas) => {
    const { offer, list } = listFor(principal);
    const search = searchOffer(registry, offer, query, { maxCandidates: limit, minScore });
    const schemaOf = schemaBudget(maxSchemaLength, list);
    return toSearchAnswer(search, (name) => (includesSchemas ? schemaOf(name) : {}));
  },
  load: (principal, names, loaded) => {
    const { offer, list } = listFor(principal);
    const { found, unknown } = resolveNames(names, (name) => findByAnyName(registry, offer.byWireName, name));
    const inOrder = [...found].sort((one, other) => (one.key < other.key ? -1 : 1)).map(wireNameOf);
    loaded?.add(inOrder);
    const answer = {
      loaded: loaded === undefined ? [] : inOrder,
      unknown: unknown.map((name, at) => ({
        name,
        near: at < maxSuggestedTools ? suggestNames(name, offer.registrations, () => true) : [],
      })),
    };
    if (loaded !== undefined || inOrder.length === 0) return answer;
    const schemaOf = schemaBudget(maxSchemaLength, list);
    const tools = inOrder.map((name) => ({
      name,
      description: toolsByNameOf(list).get(name)?.description ?? "",
      ...schemaOf(name),
    }));
    return { ...answer, tools, note: noSessionNote };
  },
});

const noSessionNote =
  "This connection has no tool list of its own, so no tool was added. Call these tools with call_tool.";

const wireNameOf = ({ wireName }: Registration): string => wireName;

type SchemaOf = (name: string) => { readonly inputSchema?: JsonSchema };

/** A schema that is too long is skipped. */
const schemaBudget = (maxLength: number, list: readonly McpTool[]): SchemaOf => {
  let remaining = maxLength;
  return (name) => {
    const inputSchema = toolsByNameOf(list).get(name)?.inputSchema;
    const size = inputSchema === undefined ? 0 : JSON.stringify(inputSchema).length;
    if (inputSchema === undefined || size > remaining) return {};
    remaining -= size;
    return { inputSchema };
  };
};
