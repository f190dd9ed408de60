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
