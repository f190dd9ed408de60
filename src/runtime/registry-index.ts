import { toOfferedSpec } from "../registry/offer/offer.ts";
import { type ToolIndex, toolIndex } from "../registry/selection/tool-index.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { Registration } from "../types/tool.ts";

const indexByRegistry = new WeakMap<ToolRegistry, () => ToolIndex>();

/** The search index of a registry, updated incrementally before each use. */
export const registryIndexOf = (registry: ToolRegistry): ToolIndex => {
  let current = indexByRegistry.get(registry);
  if (current === undefined) {
    current = trackRegistry(registry);
    indexByRegistry.set(registry, current);
  }
  return current();
};

const trackRegistry = (registry: ToolRegistry): (() => ToolIndex) => {
  const index = toolIndex();
  const changed = new Map<string, Registration | undefined>();
  for (const registration of registry.list()) changed.set(registration.key, registration);
  registry.onChange((key, registration) => changed.set(key, registration));
  return () => {
    for (const [key, registration] of changed) {
      if (registration === undefined) index.remove(key);
      else index.add(key, toOfferedSpec(registration));
    }
    changed.clear();
    return index;
  };
};
