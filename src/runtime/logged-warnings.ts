import type * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { EventBus } from "../types/event.ts";
import { type WarningTexts, warningTexts } from "./event-warnings.ts";

const loggedTexts: WarningTexts = {
  ...warningTexts,
  "tools.undescribed": ({ toolName, parameters }) =>
    `The tool "${toolName}" has parameters without a description, by which a model would choose: ${parameters.join(", ")}.`,
  "tools.search-fallback": ({ agentName, model }) =>
    `The provider of ${model} has no tool search, so the agent "${agentName}" searches with Haft's own.`,
};

export const withLoggedWarnings = (bus: EventBus, context: Context.Context<never>): EventBus => ({
  on: (name, listener) => bus.on(name, listener),
  isHeard: (name) => name in loggedTexts || bus.isHeard(name),
  emit: (name, event) => {
    const toText = loggedTexts[name] as ((told: typeof event) => string) | undefined;
    if (toText !== undefined) Effect.runForkWith(context)(Effect.logWarning(toText(event)));
    bus.emit(name, event);
  },
});
