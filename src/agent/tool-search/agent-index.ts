import {
  type SearchRequest,
  searchIndex,
  type ToolSearchResults,
} from "../../registry/selection/search-index.ts";
import { type ToolIndex, toolIndex } from "../../registry/selection/tool-index.ts";
import type { ToolRegistry } from "../../registry/tool-registry.ts";
import type { Agent } from "../../types/agent.ts";
import type { Registration } from "../../types/tool.ts";

interface CachedAgentIndex {
  readonly index: ToolIndex;
  readonly entries: Map<string, Registration>;
  of: readonly Registration[];
}

/** Keyed by agent, or by the registry for agents with all its tools. */
const indexCache = new WeakMap<ToolRegistry, WeakMap<Agent | ToolRegistry, CachedAgentIndex>>();

/** Persists across runs and is updated incrementally. */
export const agentIndex = (
  registry: ToolRegistry,
  agent: Agent,
  registrations: readonly Registration[],
): ToolIndex => {
  const ofRegistry = indexCache.get(registry) ?? new WeakMap<Agent | ToolRegistry, CachedAgentIndex>();
  indexCache.set(registry, ofRegistry);
  const owner = registrations === registry.ordered() ? registry : agent;
  const kept = ofRegistry.get(owner) ?? { index: toolIndex(), entries: new Map(), of: [] };
  ofRegistry.set(owner, kept);
  if (kept.of !== registrations) updateIndex(kept, registrations);
  return kept.index;
};

export const searchAgent = (
  of: {
    readonly registry: ToolRegistry;
    readonly agent: Agent;
    readonly registrations: readonly Registration[];
  },
  query: string,
  request: SearchRequest,
): ToolSearchResults => searchIndex(agentIndex(of.registry, of.agent, of.registrations), query, request);

const updateIndex = (kept: CachedAgentIndex, registrations: readonly Registration[]): void => {
  const { index, entries } = kept;
  const removed = new Set(entries.keys());
  for (const registration of registrations) {
    const { wireName, tool } = registration;
    removed.delete(wireName);
    if (entries.get(wireName)?.tool.spec === tool.spec) continue;
    entries.set(wireName, registration);
    // Indexed by wire name, so that namespace words can be found.
    index.add(wireName, wireName === tool.spec.name ? tool.spec : { ...tool.spec, name: wireName });
  }
  for (const wireName of removed) {
    entries.delete(wireName);
    index.remove(wireName);
  }
  kept.of = registrations;
};
