import type { Database } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { type DeadOwner, ownerJudge } from "./judge-owners.ts";
import { others } from "./owners.ts";
import type { PresenceTimes } from "./presence-times.ts";

/** Who looks for the dead, and where. */
export interface Searching {
  readonly database: Database;
  readonly dialect: SqlDialect;
  /** Itself, whom it does not look for. */
  readonly owner: string;
  readonly times: PresenceTimes;
  /** Whether the others could have renewed their leases; not right after an outage, which they share. */
  readonly trustsLeases: () => boolean;
}

/** A lost connection is not waited for longer than this: the lease decides then. */
const longestWaitMs = 3_000;

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Looks for the dead, all of them by one question, and at most once at a time. */
export const deadOwnerSearch = (
  { database, dialect, owner, times, trustsLeases }: Searching,
  removeDead: (dead: readonly DeadOwner[]) => Promise<void>,
) => {
  const { lookMs, monotonic } = times;
  const judge = ownerJudge({ database, times, trustsLeases });
  let looked = Number.NEGATIVE_INFINITY;
  let isOpenQuestion = false;
  let running: Promise<boolean> | undefined;

  const look = async (): Promise<{ readonly isAny: boolean; readonly againInMs: number | undefined }> => {
    looked = monotonic();
    const { dead, lookAgainInMs } = await judge(await database.read(() => others(dialect, owner)));
    await removeDead(dead);
    isOpenQuestion = lookAgainInMs !== undefined;
    return { isAny: dead.length > 0, againInMs: lookAgainInMs };
  };
  const lookUntilClear = async (): Promise<boolean> => {
    const until = monotonic() + longestWaitMs;
    let isAny = false;
    for (;;) {
      const seen = await look();
      isAny ||= seen.isAny;
      if (seen.againInMs === undefined || monotonic() > until) return isAny;
      await pause(seen.againInMs);
    }
  };
  return {
    recover: async (when: "now" | "if due" | "at open"): Promise<boolean> => {
      if (when === "at open") return (await look()).isAny;
      if (when === "if due" && !isOpenQuestion && monotonic() - looked < lookMs) return false;
      running ??= lookUntilClear().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
};
