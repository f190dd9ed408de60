import type { OfferedTool } from "../../models/dialects/offered-tool.ts";
import type { Message } from "../../types/message.ts";
import type { Registration } from "../../types/tool.ts";
import { loadToolName } from "../../types/tool-search.ts";
import type { BoundSearch } from "./bind-search.ts";

export interface ToolListContext {
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
