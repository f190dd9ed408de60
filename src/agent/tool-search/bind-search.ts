import * as Effect from "effect/Effect";
import { nearest } from "../../catalog/near.ts";
import type { ToolRegistry } from "../../catalog/registry.ts";
import { shorten } from "../../text/cut-text.ts";
import type { Agent } from "../../words/agent.ts";
import { ToolBindingError } from "../../words/errors.ts";
import { failed } from "../../words/outcome.ts";
import type { Registration } from "../../words/tool.ts";
import { type ToolSearchOptions, toolSearchDefaults } from "../../words/tool-search.ts";
import { type LoadInput, metaTools, type SearchInput } from "./meta-tools.ts";
import { namesOf } from "./names-of.ts";
import { type SearchAnswer, toSearchAnswer } from "./search-answer.ts";

type ToolSearchSettings = Required<ToolSearchOptions>;

/** What the search of a bound agent goes by in one turn. */
export interface SearchTurn {
  /** Whether the caller may see a tool, and it would answer, at this moment. */
  readonly isShown: (registration: Registration) => boolean;
  /** Wire names of what the model's list has. */
  readonly listed: ReadonlySet<string>;
  /** How many of them were loaded, not shown from the start. */
  readonly loaded: number;
}

/** The search of one agent in one run. */
export interface BoundSearch {
  readonly settings: ToolSearchSettings;
  /** Shown from the start. */
  readonly always: readonly Registration[];
  /** `load_tools` and `search_tools`. */
  readonly tools: readonly Registration[];
  /** The tool of the agent that any of its names leads to. */
  readonly find: (name: string) => Registration | undefined;
  /** Told before each question to the model. */
  readonly begin: (turn: SearchTurn) => void;
}

/** Nothing where the agent's model is shown everything. */
export const bindSearch = (
  agent: Agent,
  registrations: readonly Registration[],
  registry: ToolRegistry,
): BoundSearch | undefined => {
  const { toolSearch } = agent;
  if (toolSearch === undefined) return undefined;
  const settings: ToolSearchSettings = { ...toolSearchDefaults, ...(toolSearch === true ? {} : toolSearch) };
  const byName = namesOf(registrations);
  const find = (name: string): Registration | undefined => {
    const found = byName.get(name) ?? registry.get(name);
    return found === undefined ? undefined : byName.get(found.wireName);
  };
  const begun: { turn?: SearchTurn } = {};
  const now = new Set<string>();

  const search = ({ query, limit }: SearchInput): unknown => {
    if (query.trim() === "") return invalid("The query is blank. Say in plain words what you want to do.");
    if (begun.turn === undefined) return notBegun;
    const { isShown, listed } = begun.turn;
    const request = {
      maxCandidates: Math.min(limit ?? settings.maxCandidates, mostFound(settings)),
      minScore: settings.minScore,
      isAllowed: (wireName: string) => isShown(byName.get(wireName)!),
    };
    // The vocabulary of a search is large, so it is loaded with the first one.
    return Effect.map(
      Effect.promise(() => import("./agent-index.ts")),
      ({ searchAgent }): SearchAnswer => {
        const found = searchAgent({ registry, agent, registrations }, query, request);
        return toSearchAnswer(found, (name) => listed.has(name) || now.has(name));
      },
    );
  };

  const load = ({ names }: LoadInput): unknown => {
    if (begun.turn === undefined) return notBegun;
    const { isShown, listed, loaded } = begun.turn;
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
        nearest(name, registrations, isShown).filter((other) => other !== name),
      ),
    );
    if (wanted.size === 0 && already.size === 0) {
      return failed({ code: "unknown_tool", message: `${hints.join(" ")} Find tools with search_tools.` });
    }
    const room = settings.maxLoaded - loaded - now.size;
    if (wanted.size > room) return invalid(tooMany(settings.maxLoaded, Math.max(0, room), wanted.size));
    for (const wireName of wanted) now.add(wireName);
    return {
      loaded: [...wanted].sort(),
      ...(already.size === 0 ? {} : { already: [...already].sort() }),
      ...(hints.length === 0 ? {} : { unknown: hints }),
    };
  };

  return {
    settings,
    always: settings.always.map((name) => find(name) ?? refuse(agent, name)),
    tools: metaTools({ search, load }),
    find,
    begin: (turn) => {
      begun.turn = turn;
      now.clear();
    },
  };
};

/** A model may ask for more than it is given unless told, but not for the whole catalogue. */
const mostFound = ({ maxCandidates }: ToolSearchSettings): number => Math.max(maxCandidates, 20);

const longestName = 100;

const hintFor = (asked: string, near: readonly string[]): string => {
  const name = shorten(asked, longestName);
  return `There is no tool named "${name}".${near.length === 0 ? "" : ` Did you mean ${near.join(" or ")}?`}`;
};

const notBegun = failed({ code: "call_over", message: "A search is asked only inside of a run." });

const invalid = (message: string) => failed({ code: "invalid_input", message });

const tooMany = (most: number, room: number, wanted: number): string =>
  room === 0
    ? `No more tools can be loaded: ${most} are, which is the most. Use those you have, or call a tool that search_tools found by its name; it need not be loaded.`
    : `Only ${room} more of at most ${most} tools can be loaded, and ${wanted} were named. Load only those you need.`;

/** Without near names: whoever runs the agent may not be allowed to know of them. */
const refuse = (agent: Agent, name: string): never => {
  throw new ToolBindingError(
    "not_bound",
    `\`toolSearch.always\` of the agent "${agent.name}" names "${name}", which is none of its tools.`,
  );
};
