import { checkFields } from "../../../base/json/check-fields.ts";
import { remoteToolOf } from "../../../mcp/client/create-remote-tool.ts";
import { isVisibleToModels } from "../../../mcp/client/to-tool/tool-link.ts";
import type { McpTool } from "../../../models/dialects/mcp/to-mcp.ts";
import { compilePatterns, type Matcher } from "../../../policy/right.ts";
import { type Offer, toOffer } from "../../../registry/offer/offer.ts";
import { maxFoundTools } from "../../../registry/selection/search-answer.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import type { Registration } from "../../../types/tool.ts";
import { loadToolName, searchToolName, toolSearchDefaults } from "../../../types/tool-search.ts";
import type { ServeSearch } from "../serve-options.ts";

/** In the order of the offer's registrations. */
export interface ListedOffer {
  readonly offer: Offer;
  readonly list: readonly McpTool[];
}

export interface LoadedTools {
  /** In loading order, which keeps the prompt cache of models valid. */
  readonly names: readonly string[];
  readonly add: (names: readonly string[]) => void;
}

export const createLoadedTools = (onChange: () => void): LoadedTools => {
  const names = new Set<string>();
  return {
    get names() {
      return [...names];
    },
    add: (more) => {
      const before = names.size;
      for (const name of more) names.add(name);
      if (names.size > before) onChange();
    },
  };
};

type ShortList = (
  listed: ListedOffer,
  searchTools: readonly McpTool[],
  loaded: LoadedTools | undefined,
) => readonly McpTool[];

interface PartitionedList {
  readonly always: readonly McpTool[];
  readonly others: ReadonlyMap<string, McpTool>;
}

export interface SearchSettings {
  readonly isAlways: Matcher;
  readonly above: number;
  readonly maxCandidates: number;
  readonly minScore: number;
}

export const readSearchSettings = (search: boolean | ServeSearch | undefined): SearchSettings | undefined => {
  if (search === undefined || search === false) return undefined;
  const given = search === true ? {} : search;
  if (typeof given !== "object" || given === null)
    throw new ConfigurationError(
      "invalid_config",
      "serve.search must be true, false or { always, above, maxCandidates, minScore }.",
    );
  checkFields("serve.search", given, ["always", "above", "maxCandidates", "minScore"]);
  const { always = [], above = 50 } = given;
  const { maxCandidates = toolSearchDefaults.maxCandidates, minScore = toolSearchDefaults.minScore } = given;
  const fail = (field: string, takes: string): ConfigurationError =>
    new ConfigurationError("invalid_config", `serve.search.${field} must be ${takes}.`);
  if (!Number.isSafeInteger(above) || above < 0) throw fail("above", "a whole number of at least 0");
  if (!Number.isSafeInteger(maxCandidates) || maxCandidates < 1 || maxCandidates > maxFoundTools)
    throw fail("maxCandidates", `a whole number from 1 to ${maxFoundTools}`);
  if (typeof minScore !== "number" || !(minScore >= 0 && minScore <= 1))
    throw fail("minScore", "a number from 0 to 1");
  return { isAlways: compilePatterns(always), above, maxCandidates, minScore };
};

/** The `always` tools, the search tools, then loaded tools. Clients with few tools see all. */
export const createShortList = ({
  isAlways: isAlwaysListed,
  above: threshold,
}: Pick<SearchSettings, "isAlways" | "above">): ShortList => {
  const partitions = new WeakMap<readonly McpTool[], PartitionedList>();
  const partition = ({ offer, list }: ListedOffer): PartitionedList => {
    const always: McpTool[] = [];
    const others = new Map<string, McpTool>();
    list.forEach((tool, index) => {
      const { key, wireName, tool: served } = offer.registrations[index]!;
      // Models do not see tools for apps, so they stay listed.
      const isForPages = !isVisibleToModels(remoteToolOf(served) ?? {});
      if (isForPages || isAlwaysListed(key) || isAlwaysListed(wireName)) always.push(tool);
      else others.set(wireName, tool);
    });
    return { always, others };
  };
  return (listed, searchTools, loaded) => {
    if (listed.list.length <= threshold) return listed.list;
    let parts = partitions.get(listed.list);
    if (parts === undefined) {
      parts = partition(listed);
      partitions.set(listed.list, parts);
    }
    const { always, others } = parts;
    const added = (loaded?.names ?? []).flatMap((name) => others.get(name) ?? []);
    return [...always, ...searchTools, ...added];
  };
};

export const searchToolNames = [searchToolName, loadToolName, "call_tool"] as const;

const searchToolNameSet: ReadonlySet<string> = new Set(searchToolNames);

export const isSearchToolName = (name: unknown): boolean =>
  typeof name === "string" && searchToolNameSet.has(name);

const servableOffers = new WeakMap<Offer, Offer>();

/** The offer without tools that share a name with a search tool, which cannot be called. */
export const toServableOffer = (offer: Offer): Offer => {
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
