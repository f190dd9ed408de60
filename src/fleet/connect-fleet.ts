import { inBatches } from "../ledger/in-batches.ts";
import type { WholeLedger } from "../ledger/with-books.ts";
import type { Shared } from "../runtime/shared.ts";
import { ConfigurationError } from "../words/errors.ts";
import type { Principal } from "../words/principal.ts";
import { type Jobs, openJobs } from "./jobs.ts";
import { isPostgresUrl, openQueue, type Queue } from "./queue.ts";
import { type RunEnds, runEnds } from "./run-ends.ts";

/** How a runtime takes part in a fleet. */
export interface FleetOptions {
  /** The database of the ledger. Unless set: the `ledger` of Haft.open, if that is a `postgres://` address. */
  readonly url?: string;
  /** The schema that pg-boss has for itself in it. Unless set: `haft_jobs`. */
  readonly schema?: string;
  /** How many turns a tenant gets in comparison with one that is not named here. Unless set: 1 for each. */
  readonly shares?: Readonly<Record<string, number>>;
  /** The most connections this process opens for the queue. Unless set: 4. */
  readonly connections?: number;
}

/** A runtime that is connected to its fleet. */
export interface Connection {
  readonly shared: Shared;
  readonly ledger: WholeLedger;
  readonly queue: Queue;
  readonly jobs: Jobs;
  readonly ends: RunEnds;
  /** Whether a run may have come to rest. Many are looked at by one question, which nothing but waiting depends on. */
  readonly mayRest: (runId: string) => Promise<boolean>;
  /** Who submitted runs here lately. */
  readonly submitted: Map<string, Principal>;
  readonly close: () => Promise<void>;
}

export const connect = async (
  shared: Shared,
  options: FleetOptions,
  supervise = false,
): Promise<Connection> => {
  const { schema, connections, shares = {} } = options;
  const url = options.url ?? shared.ledgerUrl;
  if (!isPostgresUrl(url)) throw needsPostgres(options.url ?? shared.ledgerUrl);
  const queue = await openQueue({ url, schema, connections, supervise });
  try {
    const jobs = await openJobs(queue, { shares });
    const ends = runEnds(queue);
    return {
      shared,
      ledger: shared.ledger as WholeLedger,
      queue,
      jobs,
      ends,
      mayRest: inBatches(mostLooks, (runIds) => areResting(queue, runIds)),
      submitted: new Map(),
      close: async () => {
        await ends.close();
        await queue.close();
      },
    };
  } catch (error) {
    await queue.close();
    throw error;
  }
};

const mostLooks = 500;

/** What is not there may be anything. */
const areResting = async ({ sql }: Queue, runIds: readonly string[]): Promise<readonly boolean[]> => {
  const rows = await sql("SELECT run_id FROM haft_runs WHERE run_id = ANY($1) AND status = 'running'", [
    [...new Set(runIds)],
  ]);
  const running = new Set(rows.map(({ run_id }) => run_id));
  return runIds.map((runId) => !running.has(runId));
};

const mostRemembered = 10_000;

/** Remembers who submitted a run, as long as there is room. */
export const remember = ({ submitted }: Connection, runId: string, caller: Principal): void => {
  submitted.set(runId, caller);
  const [oldest] = submitted.keys();
  if (submitted.size > mostRemembered && oldest !== undefined) submitted.delete(oldest);
};

const needsPostgres = (given: string | undefined): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    given === undefined
      ? 'A fleet needs a ledger in PostgreSQL: Haft.open({ ledger: "postgres://…", fleet: fleet() }). Where `ledger` is a store of your own, name its database with fleet({ url }).'
      : `A fleet needs a ledger in PostgreSQL, which every worker can reach, and not "${given.split(":")[0]}".`,
  );
