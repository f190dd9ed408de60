import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import type { RequestSlot } from "./serve-request.ts";

/** Starts a call, opens a stream, or neither. Each kind has its own limit, so that no kind blocks another. */
export type RequestKind = "call" | "standing" | "note";

/** Free when its request and all calls that hold it have ended. */
export interface HeldSlot extends RequestSlot {
  /** Keeps the slot until the returned function is called. */
  readonly hold: () => () => void;
}

/** Counts requests by kind and caller. */
export interface RequestSlots {
  readonly begin: (caller: string, kind: RequestKind) => HeldSlot;
  readonly all: (kind: RequestKind) => number;
  readonly of: (caller: string, kind: RequestKind) => number;
  /** Without streams. */
  readonly passing: () => number;
  readonly total: () => number;
  readonly onEnd: (listener: () => void) => () => void;
}

export const createRequestSlots = (): RequestSlots => {
  const counts = new Map<string, number>();
  const listeners = new Set<() => void>();
  const countFor = (key: string): number => counts.get(key) ?? 0;
  const add = (key: string, change: 1 | -1): void => {
    const next = countFor(key) + change;
    if (next === 0) counts.delete(key);
    else counts.set(key, next);
  };
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
    all: countFor,
    of: (caller, kind) => countFor(`${kind} ${caller}`),
    passing: () => countFor("call") + countFor("note"),
    total: () => countFor("call") + countFor("note") + countFor("standing"),
    onEnd: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
};

/** Independent of the caller's session and rights. */
export const slotOwnerOf = (principal: Principal): string => {
  const { agent, user, tenant } = callerIdentityOf(principal);
  return JSON.stringify([tenant, user, agent]);
};
