import type { Database } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { createLeaseCheck, type DeadOwner } from "./check-leases.ts";
import type { LeaseTimings } from "./lease-timings.ts";
import { readOtherOwners } from "./ledger-owners.ts";

/** Who looks for the dead, and where. */
export interface DeadOwnerSearchOptions {
  readonly database: Database;
  readonly dialect: SqlDialect;
  /** Itself, whom it does not look for. */
  readonly owner: string;
  readonly times: LeaseTimings;
  /** Whether the others could have renewed their leases; not right after an outage, which they share. */
  readonly trustsLeases: () => boolean;
}

/** A lost connection is not waited for longer than this: the lease decides then. */
const maxWaitMs = 3_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Looks for the dead, all of them by one question, and at most once at a time. */
export const createDeadOwnerSearch = (
  { database, dialect, owner, times, trustsLeases }: DeadOwnerSearchOptions,
  removeDead: (dead: readonly DeadOwner[]) => Promise<void>,
) => {
  const { lookMs, monotonic } = times;
  const checkLeases = createLeaseCheck({ database, times, trustsLeases });
  let checkedAt = Number.NEGATIVE_INFINITY;
  let isUndecided = false;
  let running: Promise<boolean> | undefined;

  const checkOwners = async (): Promise<{
    readonly isAny: boolean;
    readonly againInMs: number | undefined;
  }> => {
    checkedAt = monotonic();
    const { dead, lookAgainInMs } = await checkLeases(
      await database.read(() => readOtherOwners(dialect, owner)),
    );
    await removeDead(dead);
    isUndecided = lookAgainInMs !== undefined;
    return { isAny: dead.length > 0, againInMs: lookAgainInMs };
  };
  const lookUntilClear = async (): Promise<boolean> => {
    const until = monotonic() + maxWaitMs;
    let isAny = false;
    for (;;) {
      const seen = await checkOwners();
      isAny ||= seen.isAny;
      if (seen.againInMs === undefined || monotonic() > until) return isAny;
      await sleep(seen.againInMs);
    }
  };
  return {
    recover: async (when: "now" | "if due" | "at open"): Promise<boolean> => {
      if (when === "at open") return (await checkOwners()).isAny;
      if (when === "if due" && !isUndecided && monotonic() - checkedAt < lookMs) return false;
      running ??= lookUntilClear().finally(() => {
        running = undefined;
      });
      return running;
    },
  };
};
