import * as Effect from "effect/Effect";
import { shorten } from "../base/text/cut-text.ts";
import type { OfferedTool } from "../models/dialects/exporter.ts";
import {
  findByAnyName,
  loadToolSchema,
  maxFoundTools,
  resolveNames,
  searchToolSchema,
  type ToolLoadInput,
  type ToolSearchInput,
  toSearchAnswer,
} from "../registry/selection/search-answer.ts";
import { searchIndex } from "../registry/selection/search-index.ts";
import { suggestNames } from "../registry/suggest-names.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import { tool } from "../tools/tool.ts";
import { runImplementation } from "../tools/tool-definition.ts";
import type { Agent } from "../types/agent.ts";
import { ConfigurationError, ToolBindingError } from "../types/errors.ts";
import type { EventBus } from "../types/event.ts";
import type { Message } from "../types/message.ts";
import type { Model } from "../types/model.ts";
import { failed } from "../types/outcome.ts";
import type { Principal } from "../types/principal.ts";
import type { AnyTool, Registration } from "../types/tool.ts";
import {
  loadToolName,
  searchToolName,
  type ToolSearchOptions,
  toolSearchDefaults,
} from "../types/tool-search.ts";

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
      Effect.promise(() => import("../registry/selection/owner-index.ts")),
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

interface MetaToolHandlers {
  readonly search: (input: ToolSearchInput) => unknown;
  readonly load: (input: ToolLoadInput) => unknown;
}

const commonSpec = { annotations: { readOnly: true }, risk: "low", tags: ["tool-search"] } as const;
const throwOutsideRun = (): never => {
  throw new Error("This tool works only inside a run.");
};

const searchTool = tool({
  ...commonSpec,
  name: searchToolName,
  description:
    "Finds tools that are not listed. Describe in plain words what you want to do; one query may describe several tasks. Returns names and summaries. Load the tools that you need with load_tools.",
  input: searchToolSchema(50, {}),
  run: throwOutsideRun,
});

const loadTool = tool({
  ...commonSpec,
  name: loadToolName,
  description:
    "Shows the full definitions of tools that search_tools found. From your next message on, they are in your list of tools.",
  input: loadToolSchema(100),
  run: throwOutsideRun,
});

/** Created per run, because their results depend on the caller and the conversation. */
const metaTools = ({ search, load }: MetaToolHandlers): readonly Registration[] => [
  toRegistration(loadTool, load),
  toRegistration(searchTool, search),
];

const toRegistration = (made: AnyTool, run: (input: never) => unknown): Registration => ({
  key: made.spec.name,
  wireName: made.spec.name,
  origin: "agent",
  tool: Object.freeze({ ...made, implementation: runImplementation(run) }),
  isFree: true,
});

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

/**
 * Called before each model request. Throws if policy denies Haft's search, and emits once per agent and model
 * that it replaces the provider's.
 */
export const searchFallback = (
  events: EventBus,
  isVisible: (registration: Registration) => boolean,
  principal: Principal | undefined,
) => {
  const reported = new Set<string>();
  return ({ search }: { readonly search: BoundSearch | undefined }, agent: Agent, model: Model): void => {
    if (isSearchHidden(search, isVisible, model)) throw notSearchable(agent, principal);
    const { name } = agent;
    if (search?.settings.by !== "provider" || model.searchesTools === true) return;
    const key = JSON.stringify([name, model.id]);
    if (reported.has(key)) return;
    reported.add(key);
    events.emit("tools.search-fallback", { agentName: name, model: model.id });
  };
};

export const isSearchHidden = (
  search: BoundSearch | undefined,
  isVisible: (registration: Registration) => boolean,
  model?: Model,
): boolean => {
  if (search === undefined) return false;
  const isByProvider =
    search.settings.by === "provider" && (model === undefined || model.searchesTools === true);
  return !isByProvider && !search.tools.every(isVisible);
};

/** Without the search, the model would see almost no tools. */
export const notSearchable = ({ name }: Agent, principal: Principal | undefined): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    `The agent "${name}" searches its tools, and policy denies "${principal?.agent}" the tools "${searchToolName}" and "${loadToolName}". Allow them, or remove toolSearch.`,
  );

interface ToolListContext {
  readonly agent: string;
  readonly messages: readonly Message[];
  readonly handoffs: readonly Registration[];
  readonly isShown: (registration: Registration) => boolean;
}

/**
 * Fixed tools by name, then loaded tools in load order. The list only grows at its end to keep the provider's
 * cache valid.
 */
export const listSearched = (search: BoundSearch, given: ToolListContext): readonly Registration[] => {
  const { handoffs, isShown, agent, messages } = given;
  const first = sortByWireName([...[...search.always, ...search.tools].filter(isShown), ...handoffs]);
  const from = new Set(first.map(({ wireName }) => wireName));
  const wireNameOf = (name: string): string | undefined => search.find(name)?.wireName;
  const loaded = [...loadedToolNames(messages, agent, wireNameOf)].filter((name) => !from.has(name));
  search.begin({ isShown, listed: new Set([...from, ...loaded]), loaded: loaded.length });
  const more = loaded.flatMap((name) => search.find(name) ?? []).filter(isShown);
  return [...first, ...more];
};

export const listDeferred = (
  { always }: BoundSearch,
  shown: readonly Registration[],
  handoffs: readonly Registration[],
): readonly OfferedTool[] => {
  const isShown = new Set(shown);
  const first = sortByWireName([...always.filter((one) => isShown.has(one)), ...handoffs]);
  const isFirst = new Set(first);
  const rest = sortByWireName(shown.filter((one) => !isFirst.has(one)));
  return [...first.map(toOffered), ...rest.map((one) => ({ ...toOffered(one), deferred: true as const }))];
};

export const toOffered = ({ wireName, tool }: Registration): OfferedTool => ({ wireName, spec: tool.spec });

const sortByWireName = (registrations: readonly Registration[]): readonly Registration[] => {
  const byName = new Map(registrations.map((one) => [one.wireName, one]));
  return [...byName.keys()].sort().map((name) => byName.get(name)!);
};

/**
 * Reads the loaded tools from the conversation, so that a resuming process gets the same list: results of
 * `load_tools`, and tools called without loading.
 */
const loadedToolNames = (
  messages: readonly Message[],
  agent: string,
  wireNameOf: (called: string) => string | undefined,
): ReadonlySet<string> => {
  const answers = new Map<string, string>();
  for (const one of messages) if (one.role === "tool" && one.ok) answers.set(one.callId, one.content);
  const loaded = new Set<string>();
  for (const message of messages) {
    if (message.role !== "assistant" || (message.agent ?? agent) !== agent) continue;
    for (const { id, tool, providerExecuted } of message.calls ?? []) {
      if (providerExecuted === true) continue;
      const names = tool === loadToolName ? namesInReply(answers.get(id)) : [wireNameOf(tool) ?? []].flat();
      for (const name of names) loaded.add(name);
    }
  }
  return loaded;
};

const namesInReply = (content: string | undefined): readonly string[] => {
  if (content === undefined) return [];
  try {
    const { loaded } = Object(JSON.parse(content)) as { readonly loaded?: unknown };
    return Array.isArray(loaded) ? loaded.filter((name) => typeof name === "string").sort() : [];
  } catch {
    return [];
  }
};
