import { callIndexTables } from "../call-index.ts";
import type { Row, Script } from "../database.ts";
import type { SqlDialect } from "../dialect.ts";
import { currentProcessIdentity, type ProcessIdentity } from "./process-identity.ts";

export const ownerColumns = ["owner", "host", "pid", "thread", "born", "heartbeat", "beats"];

export interface LedgerOwner {
  readonly owner: string;
  /** Undefined if it left or was declared dead with open work. */
  readonly beats: number | undefined;
  readonly birth: ProcessIdentity | undefined;
  /** By the server's clock. */
  readonly isExpired: boolean;
}

export interface Heartbeat {
  readonly owner: string;
  readonly at: number;
  readonly leaseMs: number;
}

export function* registerOwner(dialect: SqlDialect, heartbeat: Heartbeat): Script<void> {
  const { owner, at } = heartbeat;
  const { host, pid, thread, born } = currentProcessIdentity();
  yield { insert: "haft_owners", columns: ownerColumns, rows: [[owner, host, pid, thread, born, at, 0]] };
  yield* renewLease(dialect, heartbeat);
}

export function* renewLease(
  { serverSeconds }: SqlDialect,
  { owner, at, leaseMs }: Heartbeat,
): Script<boolean> {
  const isLeased = serverSeconds !== undefined;
  const lease = isLeased ? `, lease_until = ${serverSeconds} + CAST(? AS double precision)` : "";
  const rows = yield {
    sql: `UPDATE haft_owners SET heartbeat = ?, beats = beats + 1${lease} WHERE owner = ? RETURNING owner`,
    values: isLeased ? [at, leaseMs / 1_000, owner] : [at, owner],
  };
  return rows.length > 0;
}

export function* findLostLeases(
  { amongTexts }: SqlDialect,
  held: ReadonlyMap<string, number>,
): Script<readonly (readonly [runId: string, epoch: number])[]> {
  if (held.size === 0) return [];
  const rows = yield {
    sql: `SELECT run_id, epoch FROM haft_runs WHERE run_id ${amongTexts}`,
    values: [JSON.stringify([...held.keys()])],
  };
  const newest = new Map(rows.map(({ run_id, epoch }) => [String(run_id), Number(epoch)]));
  return [...held].filter(([runId, epoch]) => newest.get(runId) !== epoch);
}

/** Includes unregistered owners with open work. */
export function* readOtherOwners(
  { serverSeconds, hasChains }: SqlDialect,
  owner: string,
): Script<readonly LedgerOwner[]> {
  const isLeaseOver = serverSeconds === undefined ? "0" : `lease_until < ${serverSeconds}`;
  const known = yield {
    sql: `SELECT owner, host, pid, thread, born, beats, ${isLeaseOver} AS expired FROM haft_owners WHERE owner <> ?`,
    values: [owner],
  };
  const strays = yield {
    sql: `SELECT owner FROM haft_entries WHERE ending = 'open' AND ${notExecutedSql} AND owner <> ?
            AND owner NOT IN (SELECT owner FROM haft_owners)
          UNION SELECT owner FROM haft_runs WHERE owner IS NOT NULL AND owner <> ?
            AND owner NOT IN (SELECT owner FROM haft_owners)
          ${hasChains ? chainOwnersSql : ""}`,
    values: hasChains ? [owner, owner, owner] : [owner, owner],
  };
  return [...known.map(toLedgerOwner), ...strays.map((row) => toUnregisteredOwner(String(row.owner)))];
}

/** Must equal the condition of the partial index. */
export const notExecutedSql = "ending <> 'executed'";

/** Since 0.2.0. Older runs get epoch 1, which the next claim replaces. */
export const leaseTables = (dialect: SqlDialect): readonly string[] => [
  "ALTER TABLE haft_runs ADD COLUMN epoch BIGINT NOT NULL DEFAULT 1",
  // The chain has it too, so that truncation is detected.
  "ALTER TABLE haft_runs ADD COLUMN digest TEXT",
  "CREATE INDEX haft_records_steps ON haft_records (run_id, seq) WHERE kind = 'run-step'",
  "CREATE INDEX haft_runs_owner ON haft_runs (owner) WHERE owner IS NOT NULL",
  // Silence is measured by the observer, without comparing clocks.
  "ALTER TABLE haft_owners ADD COLUMN beats BIGINT NOT NULL DEFAULT 0",
  // Seconds of the server's clock.
  "ALTER TABLE haft_owners ADD COLUMN lease_until DOUBLE PRECISION",
  "ALTER TABLE haft_owners DROP COLUMN low",
  ...callIndexTables(dialect),
  "CREATE INDEX haft_entries_tool ON haft_entries (tool, open_seq)",
  `CREATE INDEX haft_entries_ending ON haft_entries (ending, open_seq) WHERE ${notExecutedSql}`,
];

const chainOwnersSql = `UNION SELECT owner FROM haft_chains WHERE owner IS NOT NULL AND owner <> ?
  AND owner NOT IN (SELECT owner FROM haft_owners)`;

const toLedgerOwner = (row: Row): LedgerOwner => ({
  owner: String(row.owner),
  beats: Number(row.beats),
  birth: {
    host: String(row.host),
    pid: Number(row.pid),
    thread: Number(row.thread),
    born: String(row.born),
  },
  isExpired: row.expired === 1,
});

const toUnregisteredOwner = (owner: string): LedgerOwner => ({
  owner,
  beats: undefined,
  birth: undefined,
  isExpired: false,
});

/** Milliseconds. */
export interface LeaseTimings {
  readonly leaseMs: number;
  readonly beatMs: number;
  /** Used without better evidence. */
  readonly silenceMs: number;
  /** Until a lost connection counts as death. */
  readonly returnMs: number;
  /** Minimum time between searches. */
  readonly lookMs: number;
  readonly monotonic: () => number;
}

export const defaultLeaseTimings: LeaseTimings = {
  leaseMs: 30_000,
  beatMs: 10_000,
  silenceMs: 60_000,
  returnMs: 500,
  lookMs: 5_000,
  monotonic: () => performance.now(),
};
