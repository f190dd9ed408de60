import * as Effect from "effect/Effect";
import type { LedgerError } from "../../../words/errors.ts";
import type { Database } from "../database.ts";
import type { Operation, Writer } from "../writer.ts";
import { beat, discharge, enlist, isDead, others, register } from "./owners.ts";
import { leaving, losing } from "./recover.ts";

export interface Presence {
  /** Closes what the dead left. True if there was any. */
  readonly recover: (when: "now" | "if due") => Promise<boolean>;
  /** Owners that are gone and whose entries nobody closes: where this store may not write. */
  readonly dead: () => readonly string[];
  readonly stayAlive: () => void;
  readonly leave: () => Effect.Effect<void, LedgerError>;
}

interface Watching {
  readonly database: Database;
  readonly writer: Writer;
  readonly owner: string;
  readonly now: () => number;
}

const beatMs = 10_000;
/** Whoever was silent for so long tells that it lives together with what it writes next. */
const lateMs = 30_000;
export const lookMs = 5_000;

/** Makes this store known among those that write here, and looks after the others. */
export const watch = async ({ database, writer, owner, now }: Watching): Promise<Presence> => {
  let beaten = now();
  let looked = Number.NEGATIVE_INFINITY;

  const beating = (): Operation<void> => {
    beaten = now();
    return { entryIds: [], run: () => beat(owner, beaten) };
  };
  const lookNow = async (): Promise<boolean> => {
    looked = performance.now();
    const all = await database.read(() => others(owner));
    let isAny = false;
    for (const other of all) {
      if (!(await isDead(database, other, now()))) continue;
      isAny = true;
      await Effect.runPromise(writer.write(() => losing(other, now())));
    }
    return isAny;
  };

  enlist(owner);
  try {
    await database.hold?.(owner);
    await database.write(() => register(owner, beaten));
    await lookNow();
  } catch (error) {
    discharge(owner);
    throw error;
  }
  const timer = setInterval(() => writer.post(beating()), beatMs).unref();
  return {
    dead: () => [],
    recover: async (when) => (when === "if due" && performance.now() - looked < lookMs ? false : lookNow()),
    stayAlive: () => {
      if (now() - beaten > lateMs) writer.post(beating());
    },
    leave: () => {
      clearInterval(timer);
      return Effect.ensuring(
        writer.write(() => leaving(owner, now())),
        Effect.sync(() => discharge(owner)),
      );
    },
  };
};
