import type { EventBus, EventMap, EventName, Listener } from "../types/event.ts";

type ListenerSets = { [Name in EventName]?: Set<Listener<Name>> };

export const addListeners = (
  bus: EventBus,
  listeners: { readonly [Name in EventName]?: Listener<Name> },
): void => {
  for (const [name, listener] of Object.entries(listeners)) {
    if (listener !== undefined) bus.on(name as EventName, listener as Listener<EventName>);
  }
};

export const eventBus = (onThrow: (error: unknown, name: EventName) => void = () => {}): EventBus => {
  const listenerSets: ListenerSets = {};
  const listenersOf = <Name extends EventName>(name: Name): Set<Listener<Name>> | undefined =>
    listenerSets[name] as Set<Listener<Name>> | undefined;

  return {
    on: (name, listener) => {
      const listeners = listenersOf(name) ?? new Set();
      (listenerSets as Record<string, unknown>)[name] = listeners.add(listener);
      return () => {
        listeners.delete(listener);
      };
    },
    emit: <Name extends EventName>(name: Name, event: EventMap[Name]) => {
      for (const listener of listenersOf(name) ?? []) {
        try {
          const answer: unknown = listener(event);
          // Handles the rejection of an async listener, which would otherwise end the process.
          if (answer instanceof Promise) answer.catch((error: unknown) => onThrow(error, name));
        } catch (error) {
          onThrow(error, name);
        }
      }
    },
    isHeard: (name) => (listenersOf(name)?.size ?? 0) > 0,
  };
};

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
