import type { Database } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { createLeaseCheck, type DeadOwner } from "./check-leases.ts";
import type { LeaseTimings } from "./lease-timings.ts";
import { readOtherOwners } from "./ledger-owners.ts";

export interface DeadOwnerSearchOptions {
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly owner: string;
  readonly times: LeaseTimings;
  /** False right after an outage, when others could not renew either. */
  readonly trustsLeases: () => boolean;
}

/** After that the lease decides. */
const maxWaitMs = 3_000;

const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

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
    const { dead, recheckAfterMs } = await checkLeases(
      await database.read(() => readOtherOwners(dialect, owner)),
    );
    await removeDead(dead);
    isUndecided = recheckAfterMs !== undefined;
    return { isAny: dead.length > 0, againInMs: recheckAfterMs };
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
