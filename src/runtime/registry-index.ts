import { toShownSpec } from "../catalog/offer/offer.ts";
import type { ToolRegistry } from "../catalog/registry.ts";
import { type ToolIndex, toolIndex } from "../selection/tool-index.ts";
import type { Registration } from "../words/tool.ts";

const indexes = new WeakMap<ToolRegistry, () => ToolIndex>();

/**
 * The index of everything in a registry, by full name and under the names models call by. There is one for each
 * registry. What changed since it was last asked for is taken over first, which costs what changed and no more.
 */
export const indexOf = (registry: ToolRegistry): ToolIndex => {
  let current = indexes.get(registry);
  if (current === undefined) {
    current = follow(registry);
    indexes.set(registry, current);
  }
  return current();
};

const follow = (registry: ToolRegistry): (() => ToolIndex) => {
  const index = toolIndex();
  const changed = new Map<string, Registration | undefined>();
  for (const registration of registry.list()) changed.set(registration.key, registration);
  registry.onChange((key, registration) => changed.set(key, registration));
  return () => {
    for (const [key, registration] of changed) {
      if (registration === undefined) index.remove(key);
      else index.add(key, toShownSpec(registration));
    }
    changed.clear();
    return index;
  };
};
