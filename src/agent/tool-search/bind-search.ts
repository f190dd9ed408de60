import * as Effect from "effect/Effect";
import { shorten } from "../../base/text/cut-text.ts";
import { firstSentenceOf } from "../../base/text/summary-of.ts";
import type { ToolSearchResults } from "../../registry/selection/search-index.ts";
import { suggestNames } from "../../registry/suggest-names.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { Agent } from "../../types/agent.ts";
import { ToolBindingError } from "../../types/errors.ts";
import { failed } from "../../types/outcome.ts";
import type { Registration } from "../../types/tool.ts";
import { type ToolSearchOptions, toolSearchDefaults } from "../../types/tool-search.ts";
import { metaTools, type ToolLoadInput, type ToolSearchInput } from "./meta-tools.ts";
import { registrationsByName } from "./registrations-by-name.ts";

type ToolSearchSettings = Required<ToolSearchOptions>;

export interface SearchTurn {
  readonly isShown: (registration: Registration) => boolean;
  readonly listed: ReadonlySet<string>;
  readonly loaded: number;
}

export interface BoundSearch {
  readonly settings: ToolSearchSettings;
  readonly always: readonly Registration[];
  readonly tools: readonly Registration[];
  readonly find: (name: string) => Registration | undefined;
  readonly begin: (turn: SearchTurn) => void;
}

export const bindSearch = (
  agent: Agent,
  registrations: readonly Registration[],
  registry: ToolRegistry,
): BoundSearch | undefined => {
  const { toolSearch } = agent;
  if (toolSearch === undefined) return undefined;
  const settings: ToolSearchSettings = { ...toolSearchDefaults, ...(toolSearch === true ? {} : toolSearch) };
  const byName = registrationsByName(registrations);
  const find = (name: string): Registration | undefined => {
    const found = byName.get(name) ?? registry.get(name);
    return found === undefined ? undefined : byName.get(found.wireName);
  };
  const current: { turn?: SearchTurn } = {};
  const now = new Set<string>();

  const search = ({ query, limit }: ToolSearchInput): unknown => {
    if (query.trim() === "")
      return invalidInputFailure("The query is empty. Describe in plain words what you want to do.");
    if (current.turn === undefined) return outsideRunFailure;
    const { isShown, listed } = current.turn;
    const request = {
      maxCandidates: Math.min(limit ?? settings.maxCandidates, maxFound(settings)),
      minScore: settings.minScore,
      isAllowed: (wireName: string) => isShown(byName.get(wireName)!),
    };
    // Loaded with the first search, because the vocabulary is large.
    return Effect.map(
      Effect.promise(() => import("./agent-index.ts")),
      ({ searchAgent }): SearchAnswer => {
        const found = searchAgent({ registry, agent, registrations }, query, request);
        return toSearchAnswer(found, (name) => listed.has(name) || now.has(name));
      },
    );
  };

  const load = ({ names }: ToolLoadInput): unknown => {
    if (current.turn === undefined) return outsideRunFailure;
    const { isShown, listed, loaded } = current.turn;
    const wanted = new Set<string>();
    const already = new Set<string>();
    const unknown: string[] = [];
    for (const name of new Set(names)) {
      const found = find(name);
      if (found === undefined || !isShown(found)) unknown.push(name);
      else (listed.has(found.wireName) || now.has(found.wireName) ? already : wanted).add(found.wireName);
    }
    const hints = unknown.map((name) =>
      hintFor(
        name,
        suggestNames(name, registrations, isShown).filter((other) => other !== name),
      ),
    );
    if (wanted.size === 0 && already.size === 0) {
      return failed({ code: "unknown_tool", message: `${hints.join(" ")} Find tools with search_tools.` });
    }
    const freeSlots = settings.maxLoaded - loaded - now.size;
    if (wanted.size > freeSlots)
      return invalidInputFailure(tooManyMessage(settings.maxLoaded, Math.max(0, freeSlots), wanted.size));
    for (const wireName of wanted) now.add(wireName);
    return {
      loaded: [...wanted].sort(),
      ...(already.size === 0 ? {} : { already: [...already].sort() }),
      ...(hints.length === 0 ? {} : { unknown: hints }),
    };
  };

  return {
    settings,
    always: settings.always.map((name) => find(name) ?? throwUnknownName(agent, name)),
    tools: metaTools({ search, load }),
    find,
    begin: (turn) => {
      current.turn = turn;
      now.clear();
    },
  };
};

/** A model may request more results, up to this limit. */
const maxFound = ({ maxCandidates }: ToolSearchSettings): number => Math.max(maxCandidates, 20);

const maxNameLength = 100;

const hintFor = (requested: string, near: readonly string[]): string => {
  const name = shorten(requested, maxNameLength);
  return `There is no tool named "${name}".${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`}`;
};

const outsideRunFailure = failed({ code: "call_over", message: "Tool search only works inside a run." });

const invalidInputFailure = (message: string) => failed({ code: "invalid_input", message });

const tooManyMessage = (max: number, available: number, wanted: number): string =>
  available === 0
    ? `No more tools can be loaded: the maximum of ${max} is reached. Use the loaded tools, or call a tool that search_tools found by its name without loading it.`
    : `${wanted} tools were requested, but only ${available} more can be loaded (maximum ${max}). Load only the tools that you need.`;

/** Suggests no names, because the caller may not be allowed to see them. */
const throwUnknownName = (agent: Agent, name: string): never => {
  throw new ToolBindingError(
    "not_bound",
    `\`toolSearch.always\` of the agent "${agent.name}" names "${name}", which is none of its tools.`,
  );
};

interface SearchAnswer {
  readonly tools: readonly {
    readonly name: string;
    readonly summary: string;
    readonly score: number;
    readonly loaded?: true;
  }[];
  /** For a query with several intents: the tools for each. */
  readonly wishes?: readonly { readonly wish: string; readonly tools: readonly string[] }[];
  readonly none?: string;
}

export const toSearchAnswer = (
  { tools, wishes, none }: ToolSearchResults,
  isListed: (wireName: string) => boolean,
): SearchAnswer => ({
  tools: tools.map(({ name, spec, score }) => ({
    name,
    summary: firstSentenceOf(spec.description),
    score: Math.round(score * 100) / 100,
    ...(isListed(name) ? { loaded: true as const } : {}),
  })),
  ...(wishes.length < 2 ? {} : { wishes: wishes.map((one) => ({ wish: one.text, tools: one.tools })) }),
  ...(tools.length > 0 ? {} : { none: `${none ?? noToolText} ${noToolAdvice}` }),
});

const noToolText = "No tool matches this query.";
const noToolAdvice = "Search again with other words, or answer without a tool.";
