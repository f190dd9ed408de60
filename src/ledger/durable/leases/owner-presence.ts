import * as Effect from "effect/Effect";
import { canonicalJson } from "../../../base/json/canonical-json.ts";
import type { LedgerError } from "../../../types/errors.ts";
import type { HeldRunLeases } from "../../held-run-leases.ts";
import { indexCallIds } from "../call-index.ts";
import { releaseChains } from "../chain/chains.ts";
import type { Database, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { markUnknown } from "../entry-state.ts";
import type { GroupWriter, Operation } from "../group-writer.ts";
import { createMonthMaintainer } from "../months/months.ts";
import type { Transaction } from "../transaction.ts";
import { addLocalOwner, createLeaseCheck, type DeadOwner, removeLocalOwner } from "./check-leases.ts";
import {
  findLostLeases,
  type LeaseTimings,
  notExecutedSql,
  readOtherOwners,
  registerOwner,
  renewLease,
} from "./ledger-owners.ts";

export interface OwnerPresence {
  /** Returns true if there were dead owners. */
  readonly recover: (when: "now" | "if due") => Promise<boolean>;
  /** Only if this store is read-only and cannot recover them. */
  readonly dead: () => readonly string[];
  /** Sends an overdue heartbeat, for example after the machine slept. */
  readonly stayAlive: () => void;
  readonly leave: () => Effect.Effect<void, LedgerError>;
}

interface JoinOwnersOptions {
  readonly database: Database;
  readonly dialect: SqlDialect;
  readonly writer: GroupWriter;
  readonly owner: string;
  readonly now: () => number;
  readonly held: HeldRunLeases;
  readonly clock: { readonly measure: () => Script<void> };
  readonly times: LeaseTimings;
}

export const joinLedgerOwners = async (options: JoinOwnersOptions): Promise<OwnerPresence> => {
  const { database, dialect, writer, owner, now, held, clock, times } = options;
  const { leaseMs, beatMs, monotonic } = times;
  const months = createMonthMaintainer(database, now);
  let lastHeartbeatAt = monotonic();
  let hasLeft = false;
  let renewedAt = monotonic();
  let trustedFrom = Number.NEGATIVE_INFINITY;

  const heartbeat = () => ({ owner, at: now(), leaseMs });
  const heartbeatOperation: Operation<readonly (readonly [runId: string, epoch: number])[]> = {
    entryIds: [],
    *run() {
      // A late heartbeat must not register again.
      if (hasLeft) return [];
      // Before the query, so that runs started meanwhile are not considered lost.
      const claims = held.all();
      yield* clock.measure();
      // Declared dead: its leases are lost, but new entries are its own.
      if (!(yield* renewLease(dialect, heartbeat()))) yield* registerOwner(dialect, heartbeat());
      return yield* findLostLeases(dialect, claims);
    },
  };
  /** After an outage, others get time to renew their leases too. */
  const markRenewed = (): void => {
    const at = monotonic();
    if (at - renewedAt > leaseMs) trustedFrom = at + 1.5 * beatMs;
    renewedAt = at;
  };
  const trustsLeases = (): boolean => monotonic() - renewedAt <= leaseMs && monotonic() >= trustedFrom;
  const sendHeartbeat = (): void => {
    lastHeartbeatAt = monotonic();
    const tell = Effect.map(
      writer.write(() => heartbeatOperation),
      (lost) => {
        markRenewed();
        for (const [runId, epoch] of lost) held.lose(runId, epoch);
      },
    );
    const { isCallIndexDeferred } = dialect;
    Effect.runFork(Effect.ignore(isCallIndexDeferred ? Effect.andThen(tell, indexAllCallIds) : tell));
    void months.keep();
  };
  /** Calls can be written between the batches. */
  const indexAllCallIds: Effect.Effect<void, LedgerError> = Effect.flatMap(
    writer.write(() => ({ entryIds: [], run: () => indexCallIds(dialect) })),
    (isMore) => (isMore ? indexAllCallIds : Effect.void),
  );
  const { recover } = createDeadOwnerSearch({ ...options, trustsLeases }, async (dead) => {
    if (dead.length > 0) await Effect.runPromise(writer.write(() => recoverDeadOwners(dialect, dead, now())));
  });

  addLocalOwner(owner);
  try {
    await database.hold?.(owner);
    await database.write(function* () {
      yield* clock.measure();
      yield* registerOwner(dialect, heartbeat());
    });
    await recover("at open");
  } catch (error) {
    removeLocalOwner(owner);
    throw error;
  }
  const timer = setInterval(sendHeartbeat, beatMs).unref();
  return {
    dead: () => [],
    recover,
    stayAlive: () => {
      if (monotonic() - lastHeartbeatAt > 1.5 * beatMs) sendHeartbeat();
    },
    leave: () => {
      hasLeft = true;
      clearInterval(timer);
      const claims = held.all();
      return Effect.ensuring(
        writer.write(() => leaveLedger(dialect, owner, now())),
        Effect.sync(() => {
          removeLocalOwner(owner);
          for (const [runId, epoch] of claims) held.lose(runId, epoch);
        }),
      );
    },
  };
};

/** Skips owners that sent a heartbeat since the check. */
const recoverDeadOwners = (
  dialect: SqlDialect,
  candidates: readonly DeadOwner[],
  at: number,
): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    const dead: string[] = [];
    for (const { owner, beats } of candidates) {
      const row = yield* removeOwner(owner, beats);
      if (row) dead.push(owner);
    }
    if (dead.length === 0) return;
    yield* releaseOwned(dialect, transaction, dead, at);
    yield* releaseChains(dialect, dead);
  },
});

/** Without a row, it was removed before it opened entries. */
function* removeOwner(owner: string, beats: number | undefined): Script<boolean> {
  if (beats === undefined) {
    return (yield { sql: "SELECT 1 FROM haft_owners WHERE owner = ?", values: [owner] }).length === 0;
  }
  const removed = yield {
    sql: "DELETE FROM haft_owners WHERE owner = ? AND beats = ? RETURNING owner",
    values: [owner, beats],
  };
  return removed.length > 0;
}

const leaveLedger = (dialect: SqlDialect, owner: string, at: number): Operation<void> => ({
  entryIds: [],
  *run(transaction) {
    yield { sql: "DELETE FROM haft_owners WHERE owner = ?", values: [owner] };
    yield* releaseOwned(dialect, transaction, [owner], at);
  },
});

function* releaseOwned(
  dialect: SqlDialect,
  transaction: Transaction,
  owners: readonly string[],
  at: number,
): Script<void> {
  yield* transaction.flush();
  const theirs = [JSON.stringify(owners)];
  const left = yield {
    sql: `SELECT entry_id FROM haft_entries WHERE ending = 'open' AND ${notExecutedSql} AND owner ${dialect.amongTexts}`,
    values: theirs,
  };
  for (const { entry_id } of left) {
    const entry = yield* transaction.entry(String(entry_id));
    if (entry?.ending === "open") markUnknown(transaction, entry, at);
  }
  const runs = yield {
    sql: `SELECT run_id FROM haft_runs WHERE owner ${dialect.amongTexts} ORDER BY run_id ${dialect.lockRows}`,
    values: theirs,
  };
  const runIds = runs.map(({ run_id }) => String(run_id));
  yield* transaction.claims.lock(runIds);
  for (const runId of runIds) releaseRun(transaction, runId, at);
}

/** The new epoch fences a former holder that is still alive. */
const releaseRun = (transaction: Transaction, runId: string, at: number): void => {
  const run = transaction.claims.get(runId);
  const { agent, status, reason } = run as Readonly<Record<"agent" | "status" | "reason", string | null>>;
  const epoch = Number(run?.epoch) + 1;
  const body = canonicalJson({ agent, status, reason: reason ?? undefined, epoch });
  const seq = transaction.append({ at, kind: "run-lost", entryId: null, runId, body });
  transaction.runs.change(runId, { owner: null, epoch, last_seq: seq });
};

/** Writes nothing, so readers must account for dead owners. */
export const observeLedgerOwners = (
  given: Omit<DeadOwnerSearchOptions, "owner" | "trustsLeases">,
): OwnerPresence => {
  let dead: readonly string[] = [];
  const { recover } = createDeadOwnerSearch(
    { ...given, owner: "", trustsLeases: () => true },
    async (found) => {
      dead = found.map(({ owner }) => owner);
    },
  );
  return {
    dead: () => dead,
    recover: async (when) => {
      await recover(when);
      return false;
    },
    stayAlive: () => {},
    leave: () => Effect.void,
  };
};

interface DeadOwnerSearchOptions {
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

const createDeadOwnerSearch = (
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
