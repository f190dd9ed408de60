import { firstSentenceOf } from "../../../base/text/summary-of.ts";
import type { McpTool } from "../../../models/dialects/mcp/to-mcp.ts";
import { type Offer, toOffer } from "../../../registry/offer/offer.ts";
import { suggestNames } from "../../../registry/suggest-names.ts";
import type { ToolRegistry } from "../../../registry/tool-registry.ts";
import { searchOffer } from "../../../runtime/search-offer.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { Principal } from "../../../types/principal.ts";
import type { Registration } from "../../../types/tool.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import type { SearchSettings } from "./search-settings.ts";
import { isSearchToolName } from "./search-tool-names.ts";

export const maxLoadedNames = 50;

/** Characters of all schemas in one response. */
const maxSchemaLength = 12_000;
/** Suggestions are the most expensive step. */
const maxSuggestedTools = 5;

export interface ToolFinderSource {
  readonly registry: ToolRegistry;
  readonly offerTo: (principal: Principal) => Offer;
  readonly listed: (principal: Principal, name: string) => McpTool | undefined;
}

interface FindToolsAnswer {
  readonly tools: readonly {
    readonly name: string;
    readonly summary: string;
    readonly score: number;
    readonly inputSchema?: JsonSchema;
  }[];
  readonly wishes?: readonly { readonly text: string; readonly tools: readonly string[] }[];
  readonly none?: string;
}

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
  ) => FindToolsAnswer;
  readonly load: (
    principal: Principal,
    names: readonly string[],
    loaded: LoadedTools | undefined,
  ) => LoadToolsAnswer;
}

export const createToolFinder = (
  { registry, offerTo, listed }: ToolFinderSource,
  { maxCandidates, minScore }: SearchSettings,
): ToolFinder => ({
  find: (principal, query, limit = maxCandidates, includesSchemas) => {
    const search = searchOffer(registry, servableOffer(offerTo(principal)), query, {
      maxCandidates: limit,
      minScore,
    });
    const schemaOf = schemaBudget(maxSchemaLength, (name) => listed(principal, name));
    return {
      tools: search.tools.map(({ spec, score }) => ({
        name: spec.name,
        summary: firstSentenceOf(spec.description),
        score: Math.round(score * 100) / 100,
        ...(includesSchemas ? schemaOf(spec.name) : {}),
      })),
      ...(search.wishes.length < 2 ? {} : { wishes: search.wishes }),
      ...(search.none === undefined ? {} : { none: search.none }),
    };
  },
  load: (principal, names, loaded) => {
    const offer = servableOffer(offerTo(principal));
    const unknown: string[] = [];
    const found = new Set<Registration>();
    for (const name of new Set(names)) {
      const registration = findOffered(offer, registry, name);
      if (registration === undefined) unknown.push(name);
      else found.add(registration);
    }
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
    const schemaOf = schemaBudget(maxSchemaLength, (name) => listed(principal, name));
    return {
      ...answer,
      tools: inOrder.map((name) => listedDefinition(name, listed(principal, name), schemaOf)),
      note: noSessionNote,
    };
  },
});

const noSessionNote =
  "This connection has no tool list of its own, so no tool was added. Call these tools with call_tool.";

const servableOffers = new WeakMap<Offer, Offer>();

/** Tools that share a name with a search tool cannot be called. */
const servableOffer = (offer: Offer): Offer => {
  const before = servableOffers.get(offer);
  if (before !== undefined) return before;
  const isServable = ({ wireName }: Registration): boolean => !isSearchToolName(wireName);
  const { principal, version, registrations } = offer;
  const servedOffer = registrations.every(isServable)
    ? offer
    : toOffer(principal, version, registrations.filter(isServable));
  servableOffers.set(offer, servedOffer);
  return servedOffer;
};

const wireNameOf = ({ wireName }: Registration): string => wireName;

/** By any of its names. */
const findOffered = (
  { byWireName }: Offer,
  registry: ToolRegistry,
  name: string,
): Registration | undefined => {
  const registration = byWireName.get(name) ?? registry.get(name);
  return registration !== undefined && byWireName.get(registration.wireName) === registration
    ? registration
    : undefined;
};

type SchemaOf = (name: string) => { readonly inputSchema?: JsonSchema };

const listedDefinition = (name: string, tool: McpTool | undefined, schemaOf: SchemaOf) => ({
  name,
  description: tool?.description ?? "",
  ...schemaOf(name),
});

/** A schema that is too long is skipped. */
const schemaBudget = (maxLength: number, listed: (name: string) => McpTool | undefined): SchemaOf => {
  let remaining = maxLength;
  return (name) => {
    const inputSchema = listed(name)?.inputSchema;
    const size = inputSchema === undefined ? 0 : JSON.stringify(inputSchema).length;
    if (inputSchema === undefined || size > remaining) return {};
    remaining -= size;
    return { inputSchema };
  };
};
