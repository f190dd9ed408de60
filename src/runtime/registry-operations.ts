import * as Effect from "effect/Effect";
import type { ToolFilter, ToolPlace } from "../registry/place.ts";
import { Registry, type ToolRegistry } from "../registry/tool-registry.ts";
import type { ToolOrClass } from "../tools/decorator.ts";
import {
  type ConfigurationError,
  type ToolDefinitionError,
  ToolNotFoundError,
  type ToolRegistrationError,
} from "../types/errors.ts";
import type { Registration } from "../types/tool.ts";
import { toTools } from "./haft-options.ts";

/** Registers a tool, or a class with `@Tool`. */
export const registerTool = (
  tool: ToolOrClass,
  place?: ToolPlace,
): Effect.Effect<Registration, ToolRegistrationError | ToolDefinitionError | ConfigurationError, Registry> =>
  Effect.flatMap(Registry, (registry) =>
    Effect.try({
      try: () => registry.register(toTools([tool])[0]!, place),
      catch: (error) => error as ToolRegistrationError | ToolDefinitionError | ConfigurationError,
    }),
  );

/** Unregisters a tool by its full name, and returns it. */
export const unregisterTool = (name: string): Effect.Effect<Registration, ToolNotFoundError, Registry> =>
  Effect.flatMap(Registry, (registry) => {
    const found = registry.get(name);
    return found?.key === name && registry.unregister(name)
      ? Effect.succeed(found)
      : Effect.fail(notFound(registry, name));
  });

/** Finds a tool by its full name, its wire name or its short name, if that is unambiguous. */
export const getTool = (name: string): Effect.Effect<Registration, ToolNotFoundError, Registry> =>
  Effect.flatMap(Registry, (registry) => {
    const found = registry.get(name);
    return found === undefined ? Effect.fail(notFound(registry, name)) : Effect.succeed(found);
  });

/** Lists tools by full name. */
export const listTools = (
  filter?: ToolFilter,
): Effect.Effect<readonly Registration[], ConfigurationError, Registry> =>
  Effect.flatMap(Registry, (registry) =>
    Effect.try({ try: () => registry.list(filter), catch: (error) => error as ConfigurationError }),
  );

const maxNames = 100;

const notFound = (registry: ToolRegistry, name: string): ToolNotFoundError => {
  const resolved = registry.resolve(name);
  if (!resolved.ok && resolved.code === "ambiguous_tool") {
    const message = `Several tools are named "${name}": ${resolved.candidates.join(", ")}. Use a full name.`;
    return new ToolNotFoundError("ambiguous_tool", message, {
      tool: name,
      availableTools: resolved.candidates,
    });
  }
  const near = registry.near(name, () => true);
  const hint = near.length === 0 ? "" : ` Did you mean ${near.map((each) => `"${each}"`).join(" or ")}?`;
  return new ToolNotFoundError("unknown_tool", `No tool is named "${name}".${hint}`, {
    tool: name,
    availableTools: registry
      .list()
      .slice(0, maxNames)
      .map(({ key }) => key),
  });
};
