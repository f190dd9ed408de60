import type { SharedStore } from "../../ledger/postgres-messaging/shared-store.ts";
import type { Failure } from "../../types/failure.ts";
import type { Principal } from "../../types/principal.ts";

/** A call on its way to a process of a pool. It was authorized and its entry is open. */
export interface PoolJob {
  readonly entryId: string;
  readonly callId: string;
  /** Full name of the tool at the caller's. */
  readonly tool: string;
  /** Hash of the spec under which it was authorized. */
  readonly definition: string;
  readonly input: unknown;
  readonly principal: Principal;
  readonly idempotencyKey: string;
  /** The tool only reads, or may be called twice with the effect of once. */
  readonly mayRepeat: boolean;
  /** Sources of untrusted content that the caller's run has read. */
  readonly taints?: readonly string[];
}

/** What a process of a pool has to say of a call. */
export interface PoolResult {
  /** `refused` is one whose code was not started. */
  readonly kind: "value" | "failed" | "refused";
  readonly value?: unknown;
  readonly failure?: Pick<Failure, "code" | "message" | "detail" | "retryable" | "retryAfterMs">;
  readonly notes: readonly string[];
  readonly cost: number;
  /** Sources of untrusted content in the result. */
  readonly taints?: readonly string[];
}

/** How a job stands, as its caller sees it. */
export interface PoolJobState {
  readonly state: string;
  readonly worker: string | undefined;
  readonly result: PoolResult | undefined;
}

export const poolTable = "haft_pool_jobs";
const table = poolTable;
const tableStatements = [
  `CREATE TABLE ${table} (id text PRIMARY KEY, pool text NOT NULL, caller text NOT NULL, state text NOT NULL,
    worker text, sealed bytea NOT NULL, result bytea, at timestamptz NOT NULL DEFAULT now())`,
  `CREATE INDEX ${table}_waiting ON ${table} (pool, at) WHERE state = 'waiting'`,
];

export interface ClaimedPoolJob {
  readonly id: string;
  readonly caller: string;
  /** Nothing where the row was not written by somebody who has the key. */
  readonly job: PoolJob | undefined;
}

/** The jobs of all pools, sealed: who only has the database can neither read a call nor make one up. */
export const openPoolJobs = async (store: SharedStore) => {
  await store.prepare(table, tableStatements);
  await store.ask(`DELETE FROM ${table} WHERE at < now() - interval '1 day'`);
  const jobName = (id: string, pool: string, caller: string): string =>
    JSON.stringify(["job", id, pool, caller]);
  const hasRows = (rows: readonly unknown[]): boolean => rows.length > 0;
  return {
    send: async (id: string, pool: string, job: PoolJob): Promise<void> => {
      const sealed = store.seal(JSON.stringify(job), jobName(id, pool, store.name));
      await store.ask(
        `WITH sent AS (INSERT INTO ${table} (id, pool, caller, state, sealed) VALUES ($1, $2, $3, 'waiting', $4))
         SELECT pg_notify($5, $6)`,
        [id, pool, store.name, sealed, store.channel, `pool ${pool}`],
      );
    },
    read: async (id: string): Promise<PoolJobState | undefined> => {
      const [row] = await store.ask(`SELECT state, worker, result FROM ${table} WHERE id = $1`, [id]);
      if (row === undefined) return undefined;
      const worker = row.worker === null ? undefined : String(row.worker);
      const text = store.unseal(row.result, JSON.stringify(["result", id]));
      const result = text === undefined ? undefined : (JSON.parse(text) as PoolResult);
      return { state: String(row.state), worker, result };
    },
    /** Whether nobody had begun with it, and nobody will. */
    withdraw: async (id: string): Promise<boolean> =>
      hasRows(await store.ask(`DELETE FROM ${table} WHERE id = $1 AND state = 'waiting' RETURNING 1`, [id])),
    /** Whether it waits for another process again, after the one that had it died. */
    putBack: async (id: string, pool: string, worker: string): Promise<boolean> => {
      const rows = await store.ask(
        `UPDATE ${table} SET state = 'waiting', worker = NULL
         WHERE id = $1 AND state = 'running' AND worker = $2 RETURNING 1`,
        [id, worker],
      );
      await store.tell(`pool ${pool}`);
      return hasRows(rows);
    },
    drop: async (id: string): Promise<void> => {
      await store.ask(`DELETE FROM ${table} WHERE id = $1`, [id]);
    },
    /** The oldest that waits. Of several processes that ask, one gets it. */
    claim: async (pool: string): Promise<ClaimedPoolJob | undefined> => {
      const [row] = await store.ask(
        `UPDATE ${table} SET state = 'running', worker = $2 WHERE id = (
          SELECT id FROM ${table} WHERE pool = $1 AND state = 'waiting' ORDER BY at LIMIT 1 FOR UPDATE SKIP LOCKED)
         RETURNING id, caller, sealed`,
        [pool, store.name],
      );
      if (row === undefined) return undefined;
      const [id, caller] = [String(row.id), String(row.caller)];
      const text = store.unseal(row.sealed, jobName(id, pool, caller));
      return { id, caller, job: text === undefined ? undefined : (JSON.parse(text) as PoolJob) };
    },
    /** Nobody else's word counts: only the process that has it says what came of it. */
    finish: async (id: string, result: PoolResult): Promise<void> => {
      const sealed = store.seal(JSON.stringify(result), JSON.stringify(["result", id]));
      await store.ask(
        `WITH done AS (UPDATE ${table} SET state = 'done', result = $2 WHERE id = $1 AND worker = $3)
         SELECT pg_notify($4, $5)`,
        [id, sealed, store.name, store.channel, `job ${id}`],
      );
    },
    stop: (id: string): Promise<void> => store.tell(`stop ${id}`),
  };
};
