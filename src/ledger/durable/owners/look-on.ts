import * as Effect from "effect/Effect";
import type { Database } from "../database.ts";
import { isDead, others } from "./owners.ts";
import { lookMs, type Presence } from "./watch.ts";

/** Sees who died without being there itself: nothing is written, so whoever reads takes it into account. */
export const lookOn = (database: Database, now: () => number): Presence => {
  let looked = Number.NEGATIVE_INFINITY;
  let dead: readonly string[] = [];
  return {
    dead: () => dead,
    recover: async (when) => {
      if (when === "if due" && performance.now() - looked < lookMs) return false;
      looked = performance.now();
      const found: string[] = [];
      for (const owner of await database.read(() => others(""))) {
        if (await isDead(database, owner, now())) found.push(owner.owner);
      }
      dead = found;
      return false;
    },
    stayAlive: () => {},
    leave: () => Effect.void,
  };
};
