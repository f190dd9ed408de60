import type { EventBus, EventMap, EventName } from "../types/event.ts";

export type WarningTexts = { readonly [Name in EventName]?: (event: EventMap[Name]) => string };

/** Events that emit a process warning if they have no listener. */
export const warningTexts: WarningTexts = {
  "tools.overridden": ({ name, toolName, shadowed }) =>
    `"${name}" now means the tool "${toolName}". Call the other one by its full name, "${shadowed.includes("/") ? shadowed : `internal/${shadowed}`}".`,
  "tools.idle-layer": ({ toolName, layer, reason }) =>
    `"${layer}" has no effect on the tool "${toolName}": ${reason}.`,
  "tools.unannotated": ({ message }) => message,
  "policy.problem": ({ message, suggestion }) =>
    `Policy: ${message}${suggestion === undefined ? "" : ` ${suggestion}`}`,
};

export const withProcessWarnings = (bus: EventBus): EventBus => ({
  on: bus.on,
  isHeard: (name) => name in warningTexts || bus.isHeard(name),
  emit: (name, event) => {
    const toText = warningTexts[name] as ((payload: typeof event) => string) | undefined;
    if (toText !== undefined && !bus.isHeard(name)) process.emitWarning(toText(event), "HaftWarning");
    bus.emit(name, event);
  },
});
