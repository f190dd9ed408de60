import * as Effect from "effect/Effect";
import { shorten } from "../../base/text/cut-text.ts";
import {
  findByAnyName,
  maxFoundTools,
  resolveNames,
  type ToolLoadInput,
  type ToolSearchInput,
  toSearchAnswer,
} from "../../registry/selection/search-answer.ts";
import { searchIndex } from "../../registry/selection/search-index.ts";
import { suggestNames } from "../../registry/suggest-names.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { Agent } from "../../types/agent.ts";
import { ToolBindingError } from "../../types/errors.ts";
import { failed } from "../../types/outcome.ts";
import type { Registration } from "../../types/tool.ts";
import { type ToolSearchOptions, toolSearchDefaults } from "../../types/tool-search.ts";
import { metaTools } from "./meta-tools.ts";

const nameCache = new WeakMap<readonly Registration[], ReadonlyMap<string, Registration>>();

/** Wire names have priority. Cached per list. */
export const registrationsByName = (
  registrations: readonly Registration[],
): ReadonlyMap<string, Registration> => {
  const before = nameCache.get(registrations);
  if (before !== undefined) return before;
  const names = new Map<string, Registration>();
  for (const one of registrations) names.set(one.key, one);
  for (const one of registrations) names.set(one.wireName, one);
  nameCache.set(registrations, names);
  return names;
};

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
  const find = (name: string): Registration | undefined => findByAnyName(registry, byName, name);
  const current: { turn?: SearchTurn } = {};
  const now = new Set<string>();

  const search = ({ query, limit }: ToolSearchInput): unknown => {
    if (query.trim() === "")
      return invalidInputFailure("The query is empty. Describe in plain words what you want to do.");
    if (current.turn === undefined) return outsideRunFailure;
    const { isShown, listed } = current.turn;
    const { maxCandidates, minScore } = settings;
    const isLoaded = (name: string): boolean => listed.has(name) || now.has(name);
    return Effect.map(
      Effect.promise(() => import("../../registry/selection/owner-index.ts")),
      ({ indexOf, registryIndexOf }) => {
        const hasAll = registrations === registry.ordered();
        const index = hasAll
          ? registryIndexOf(registry)
          : indexOf(agent, registrations, () => registrations.map((one) => [one.wireName, one]));
        const results = searchIndex(index, query, {
          maxCandidates: Math.min(limit ?? maxCandidates, Math.max(maxCandidates, maxFoundTools)),
          minScore,
          isAllowed: (key, { name }) => {
            const found = byName.get(name);
            // The registry also has tools whose names others have taken.
            return found !== undefined && (!hasAll || found.key === key) && isShown(found);
          },
        });
        return toSearchAnswer(results, (name) => (isLoaded(name) ? { loaded: true as const } : {}));
      },
    );
  };

  const load = ({ names }: ToolLoadInput): unknown => {
    if (current.turn === undefined) return outsideRunFailure;
    const { isShown, listed, loaded } = current.turn;
    const { found, unknown } = resolveNames(names, (name) => {
      const one = find(name);
      return one !== undefined && isShown(one) ? one : undefined;
    });
    const wireNames = [...found].map(({ wireName }) => wireName).sort();
    const already = wireNames.filter((name) => listed.has(name) || now.has(name));
    const wanted = wireNames.filter((name) => !already.includes(name));
    const hints = unknown.map((name) =>
      hintFor(
        name,
        suggestNames(name, registrations, isShown).filter((other) => other !== name),
      ),
    );
    if (wanted.length === 0 && already.length === 0) {
      return failed({ code: "unknown_tool", message: `${hints.join(" ")} Find tools with search_tools.` });
    }
    const freeSlots = settings.maxLoaded - loaded - now.size;
    if (wanted.length > freeSlots)
      return invalidInputFailure(tooManyMessage(settings.maxLoaded, Math.max(0, freeSlots), wanted.length));
    for (const wireName of wanted) now.add(wireName);
    return {
      loaded: wanted,
      ...(already.length === 0 ? {} : { already }),
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
