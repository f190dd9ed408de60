import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { EventBus, EventMap, EventName } from "../words/event.ts";

type Warnings = { readonly [Name in EventName]?: (event: EventMap[Name]) => string };

const warnings: Warnings = {
  "tools.overridden": ({ name, toolName, shadowed }) =>
    `"${name}" now means the tool "${toolName}"; "${shadowed}" answers only to its full name.`,
  "tools.idle-layer": ({ toolName, layer, reason }) =>
    `"${layer}" does nothing around the tool "${toolName}": ${reason}.`,
  "tools.undescribed": ({ toolName, parameters }) =>
    `The tool "${toolName}" has parameters without a description, by which a model would choose: ${parameters.join(", ")}.`,
  "tools.search-fallback": ({ agentName, model }) =>
    `The provider of ${model} has no tool search, so the agent "${agentName}" searches with Haft's own.`,
};

/** Those that are worth a line even where nobody asked for logs. */
const unasked: ReadonlySet<EventName> = new Set<EventName>(["tools.overridden", "tools.idle-layer"]);

/** The same bus, which warns the process of what nobody listens for. */
export const warningEvents = (bus: EventBus): EventBus => ({
  on: bus.on,
  isHeard: (name) => unasked.has(name) || bus.isHeard(name),
  emit: (name, event) => {
    const words = warnings[name] as ((told: typeof event) => string) | undefined;
    if (words !== undefined && unasked.has(name) && !bus.isHeard(name))
      process.emitWarning(words(event), "HaftWarning");
    bus.emit(name, event);
  },
});

/** The same bus, whose warnings are also written by the loggers of whoever opens the runtime, from the first tool on. */
export const loggedEvents = (bus: EventBus, context: Context.Context<never>): EventBus => ({
  on: (name, listener) => bus.on(name, listener),
  isHeard: (name) => name in warnings || bus.isHeard(name),
  emit: (name, event) => {
    const words = warnings[name] as ((told: typeof event) => string) | undefined;
    if (words !== undefined) Effect.runForkWith(context)(Effect.logWarning(words(event)));
    bus.emit(name, event);
  },
});
