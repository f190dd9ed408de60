import { nearest } from "../../catalog/near.ts";
import { type Offer, toOffer } from "../../catalog/offer/offer.ts";
import type { ToolRegistry } from "../../catalog/registry.ts";
import type { McpTool } from "../../dialects/mcp/to-mcp.ts";
import { searchOffer } from "../../runtime/search-offer.ts";
import { summaryOf } from "../../text/summary.ts";
import type { JsonSchema } from "../../words/json.ts";
import type { Principal } from "../../words/principal.ts";
import type { Registration } from "../../words/tool.ts";
import type { LoadedTools } from "./loaded-tools.ts";
import { isOwnName } from "./own-names.ts";
import type { SearchSettings } from "./search-settings.ts";

/** So many names are loaded at once. */
export const mostNames = 50;

/** Schemas of one answer have so many characters; whoever wants more asks for fewer tools at a time. */
const mostSchema = 12_000;
/** Looking for near names costs more than anything else here. */
const mostNear = 5;

/** What is served, as far as finding things in it goes. */
export interface FinderSource {
  readonly registry: ToolRegistry;
  readonly offerTo: (principal: Principal) => Offer;
  /** A tool as this caller is shown it, by the name clients know. */
  readonly listed: (principal: Principal, name: string) => McpTool | undefined;
}

interface FoundAnswer {
  readonly tools: readonly {
    readonly name: string;
    readonly summary: string;
    readonly score: number;
    readonly inputSchema?: JsonSchema;
  }[];
  readonly wishes?: readonly { readonly text: string; readonly tools: readonly string[] }[];
  readonly none?: string;
}

interface LoadAnswer {
  readonly loaded: readonly string[];
  readonly unknown: readonly { readonly name: string; readonly near: readonly string[] }[];
  readonly tools?: readonly Pick<McpTool, "name" | "description">[];
  readonly note?: string;
}

/** Finds and loads for whoever calls. Both know nothing but what that caller is offered now. */
export interface Finder {
  readonly find: (
    principal: Principal,
    query: string,
    limit: number | undefined,
    describes: boolean,
  ) => FoundAnswer;
  readonly load: (
    principal: Principal,
    names: readonly string[],
    loaded: LoadedTools | undefined,
  ) => LoadAnswer;
}

export const finder = (
  { registry, offerTo, listed }: FinderSource,
  { maxCandidates, minScore }: SearchSettings,
): Finder => ({
  find: (principal, query, limit = maxCandidates, describes) => {
    const search = searchOffer(registry, servable(offerTo(principal)), query, {
      maxCandidates: limit,
      minScore,
    });
    const schemaOf = schemasWithin(mostSchema, (name) => listed(principal, name));
    return {
      tools: search.tools.map(({ spec, score }) => ({
        name: spec.name,
        summary: summaryOf(spec.description),
        score: Math.round(score * 100) / 100,
        ...(describes ? schemaOf(spec.name) : {}),
      })),
      ...(search.wishes.length < 2 ? {} : { wishes: search.wishes }),
      ...(search.none === undefined ? {} : { none: search.none }),
    };
  },
  load: (principal, names, loaded) => {
    const offer = servable(offerTo(principal));
    const unknown: string[] = [];
    const found = new Set<Registration>();
    for (const name of new Set(names)) {
      const registration = offered(offer, registry, name);
      if (registration === undefined) unknown.push(name);
      else found.add(registration);
    }
    const inOrder = [...found].sort((one, other) => (one.key < other.key ? -1 : 1)).map(wireNameOf);
    loaded?.add(inOrder);
    const answer = {
      loaded: loaded === undefined ? [] : inOrder,
      unknown: unknown.map((name, at) => ({
        name,
        near: at < mostNear ? nearest(name, offer.registrations, () => true) : [],
      })),
    };
    if (loaded !== undefined || inOrder.length === 0) return answer;
    const schemaOf = schemasWithin(mostSchema, (name) => listed(principal, name));
    return {
      ...answer,
      tools: inOrder.map((name) => defined(name, listed(principal, name), schemaOf)),
      note,
    };
  },
});

const note =
  "This connection keeps nothing between requests, so nothing was listed. Call these with call_tool.";

const servableOffers = new WeakMap<Offer, Offer>();

/** A tool that has a name of the gateway's own is not served, so nobody is told of it. */
const servable = (offer: Offer): Offer => {
  const before = servableOffers.get(offer);
  if (before !== undefined) return before;
  const isServable = ({ wireName }: Registration): boolean => !isOwnName(wireName);
  const { principal, version, registrations } = offer;
  const kept = registrations.every(isServable)
    ? offer
    : toOffer(principal, version, registrations.filter(isServable));
  servableOffers.set(offer, kept);
  return kept;
};

const wireNameOf = ({ wireName }: Registration): string => wireName;

/** By whichever of its names; a tool that is not in the offer has none. */
const offered = ({ byWireName }: Offer, registry: ToolRegistry, name: string): Registration | undefined => {
  const registration = byWireName.get(name) ?? registry.get(name);
  return registration !== undefined && byWireName.get(registration.wireName) === registration
    ? registration
    : undefined;
};

type SchemaOf = (name: string) => { readonly inputSchema?: JsonSchema };

const defined = (name: string, tool: McpTool | undefined, schemaOf: SchemaOf) => ({
  name,
  description: tool?.description ?? "",
  ...schemaOf(name),
});

/** Schemas in the order they are asked for, as long as there is room: one that is too long leaves it to those after it. */
const schemasWithin = (most: number, listed: (name: string) => McpTool | undefined): SchemaOf => {
  let left = most;
  return (name) => {
    const inputSchema = listed(name)?.inputSchema;
    const size = inputSchema === undefined ? 0 : JSON.stringify(inputSchema).length;
    if (inputSchema === undefined || size > left) return {};
    left -= size;
    return { inputSchema };
  };
};
