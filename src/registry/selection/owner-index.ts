import type { Registration } from "../../types/tool.ts";
import { toOfferedSpec } from "../offer/offer.ts";
import type { ToolRegistry } from "../tool-registry.ts";
import { type ToolIndex, toolIndex } from "./tool-index.ts";

interface OwnerIndex {
  readonly index: ToolIndex;
  readonly entries: Map<string, Registration>;
  state: unknown;
}

const indexByOwner = new WeakMap<object, OwnerIndex>();

/** The search index of all tools of a registry. */
export const registryIndexOf = (registry: ToolRegistry): ToolIndex =>
  indexOf(registry, registry.version, () => registry.list().map((one) => [one.key, one]));

/**
 * The search index of a registry or an agent, which persists across runs. Before each use it is updated with
 * what has changed, if the state differs from that of the last use.
 */
export const indexOf = (
  owner: object,
  state: unknown,
  list: () => readonly (readonly [key: string, registration: Registration])[],
): ToolIndex => {
  const kept = indexByOwner.get(owner) ?? { index: toolIndex(), entries: new Map(), state: undefined };
  indexByOwner.set(owner, kept);
  if (kept.state !== state) updateIndex(kept, list());
  kept.state = state;
  return kept.index;
};

const updateIndex = (
  { index, entries }: OwnerIndex,
  list: readonly (readonly [key: string, registration: Registration])[],
): void => {
  const removed = new Set(entries.keys());
  for (const [key, registration] of list) {
    removed.delete(key);
    if (entries.get(key)?.tool.spec === registration.tool.spec) continue;
    entries.set(key, registration);
    // Under its wire name, so that namespace words can be found.
    index.add(key, toOfferedSpec(registration));
  }
  for (const key of removed) {
    entries.delete(key);
    index.remove(key);
  }
};
