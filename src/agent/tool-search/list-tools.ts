import type { OfferedTool } from "../../models/dialects/offered-tool.ts";
import type { Message } from "../../types/message.ts";
import type { Registration } from "../../types/tool.ts";
import type { BoundSearch } from "./bind-search.ts";
import { loadedToolNames } from "./loaded-tool-names.ts";

/** What there is to list for one question to a model. */
export interface ToolListContext {
  readonly agent: string;
  readonly messages: readonly Message[];
  /** Its handoffs that may be shown now. */
  readonly handoffs: readonly Registration[];
  readonly isShown: (registration: Registration) => boolean;
}

/**
 * What a model with Haft's search is shown. The list of one agent only grows at its end, so that its provider's cache
 * holds: first what is always there by name in code unit order, then what was loaded, as it was loaded. Only a tool
 * that may no longer be shown leaves it.
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

/** What a model is shown whose provider searches: everything, of which most is deferred. */
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

/** By wire name in code unit order, each once. */
const sortByWireName = (registrations: readonly Registration[]): readonly Registration[] => {
  const byName = new Map(registrations.map((one) => [one.wireName, one]));
  return [...byName.keys()].sort().map((name) => byName.get(name)!);
};
