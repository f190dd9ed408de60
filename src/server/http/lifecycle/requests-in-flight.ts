import type { MessageKind } from "../../gateway/wire/message-kind.ts";

/** Free when its request and all holding calls have ended. */
export interface RequestSlot {
  readonly leave: () => void;
  /** Keeps the slot until the returned function is called. */
  readonly hold: () => () => void;
}

/** By kind and caller. */
export interface RequestsInFlight {
  readonly begin: (caller: string, kind: MessageKind) => RequestSlot;
  readonly all: (kind: MessageKind) => number;
  readonly of: (caller: string, kind: MessageKind) => number;
  /** Without streams. */
  readonly passing: () => number;
  readonly total: () => number;
  readonly onEnd: (listener: () => void) => () => void;
}

export const trackRequestsInFlight = (): RequestsInFlight => {
  const counts = new Map<string, number>();
  const listeners = new Set<() => void>();
  const countFor = (key: string): number => counts.get(key) ?? 0;
  const add = (key: string, change: 1 | -1): void => {
    const next = countFor(key) + change;
    if (next === 0) counts.delete(key);
    else counts.set(key, next);
  };
  const all = (kind: MessageKind): number => countFor(kind);
  return {
    begin: (caller, kind) => {
      const keys = [kind, `${kind} ${caller}`];
      for (const key of keys) add(key, 1);
      let holders = 0;
      const hold = (): (() => void) => {
        holders += 1;
        let isReleased = false;
        return () => {
          if (isReleased) return;
          isReleased = true;
          holders -= 1;
          if (holders > 0) return;
          for (const key of keys) add(key, -1);
          for (const listener of listeners) listener();
        };
      };
      return { leave: hold(), hold };
    },
    all,
    of: (caller, kind) => countFor(`${kind} ${caller}`),
    passing: () => all("call") + all("note"),
    total: () => all("call") + all("note") + all("standing"),
    onEnd: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};
