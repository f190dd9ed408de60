import type { CompleteLedgerStore } from "../ledger/complete-store.ts";
import { createBatcher } from "../ledger/create-batcher.ts";
import type { SharedRuntime } from "../runtime/shared-runtime.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";
import { isPostgresUrl, openQueue, type Queue } from "./open-queue.ts";
import { endsChannel, openRunJobs, type RunJobs } from "./run-jobs.ts";

/** How a runtime connects to its fleet. */
export interface FleetOptions {
  /**
   * PostgreSQL URL of the ledger's database. Default: the `ledger` of Haft.open, if it is a `postgres://`
   * URL.
   */
  readonly url?: string;
  /** Schema that pg-boss uses. Default: `haft_jobs`. */
  readonly schema?: string;
  /** Share of turns per tenant. Default: 1 for each. */
  readonly shares?: Readonly<Record<string, number>>;
  /** Maximum number of queue connections of this process. Default: 4. */
  readonly connections?: number;
}

interface RunEndListener {
  /** Records notices of this run from now on. False if listening is impossible. */
  readonly expect: (runId: string) => Promise<boolean>;
  readonly isExpected: (runId: string) => boolean;
  /** `notified` on a notice, including one since `expect`; `late` after `withinMs` or on abort. */
  readonly next: (
    runId: string,
    withinMs: number,
    signal: AbortSignal | undefined,
  ) => Promise<"notified" | "late">;
  readonly close: () => Promise<void>;
}

const maxExpectedRuns = 10_000;

/** Polling covers missed notices. */
const listenForRunEnds = (queue: Queue): RunEndListener => {
  const waiting = new Map<string, Set<() => void>>();
  const expected = new Map<string, { isHeard: boolean }>();
  let listening: Promise<(() => Promise<void>) | undefined> | undefined;
  const onRunEnd = (runId: string): void => {
    const wakes = waiting.get(runId);
    const expecting = expected.get(runId);
    if (wakes === undefined) {
      if (expecting !== undefined) expecting.isHeard = true;
      return;
    }
    expected.delete(runId);
    for (const wake of wakes) wake();
  };
  const onNotice = (payload: string | undefined): void => {
    // A reconnect may have missed notices.
    const runIds = payload === undefined ? [...waiting.keys(), ...expected.keys()] : payload.split(" ");
    for (const runId of runIds) onRunEnd(runId);
  };
  const listen = () => {
    listening ??= queue.listen(endsChannel(queue.schema), onNotice).catch(() => undefined);
    return listening;
  };
  return {
    expect: async (runId) => {
      if ((await listen()) === undefined) return false;
      expected.set(runId, { isHeard: false });
      const [oldest] = expected.keys();
      if (expected.size > maxExpectedRuns && oldest !== undefined) expected.delete(oldest);
      return true;
    },
    isExpected: (runId) => expected.has(runId),
    next: (runId, withinMs, signal) => {
      void listen();
      if (expected.get(runId)?.isHeard === true) {
        expected.delete(runId);
        return Promise.resolve("notified");
      }
      return new Promise((resolve) => {
        const all = waiting.get(runId) ?? new Set();
        waiting.set(runId, all);
        const stop = (how: "notified" | "late"): void => {
          clearTimeout(timer);
          signal?.removeEventListener("abort", late);
          all.delete(wake);
          if (all.size === 0 && waiting.get(runId) === all) waiting.delete(runId);
          resolve(how);
        };
        const wake = (): void => stop("notified");
        const late = (): void => stop("late");
        const timer = setTimeout(late, withinMs);
        all.add(wake);
        if (signal?.aborted === true) late();
        else signal?.addEventListener("abort", late, { once: true });
      });
    },
    close: async () => {
      onNotice(undefined);
      await (await listening)?.();
    },
  };
};

export interface FleetConnection {
  readonly shared: SharedRuntime;
  readonly ledger: CompleteLedgerStore;
  readonly queue: Queue;
  readonly jobs: RunJobs;
  readonly ends: RunEndListener;
  /** Whether a run may be inactive. Lookups are batched. */
  readonly mayBeInactive: (runId: string) => Promise<boolean>;
  readonly submitters: Map<string, Principal>;
  readonly close: () => Promise<void>;
}

export const connectFleet = async (
  shared: SharedRuntime,
  options: FleetOptions,
  supervise = false,
): Promise<FleetConnection> => {
  const { schema, connections, shares = {} } = options;
  const url = options.url ?? shared.ledgerUrl;
  if (!isPostgresUrl(url)) throw postgresRequiredError(options.url ?? shared.ledgerUrl);
  const queue = await openQueue({ url, schema, connections, supervise });
  try {
    const jobs = await openRunJobs(queue, { shares });
    const ends = listenForRunEnds(queue);
    return {
      shared,
      ledger: shared.ledger as CompleteLedgerStore,
      queue,
      jobs,
      ends,
      mayBeInactive: createBatcher(maxStatusBatch, (runIds) => areInactive(queue, runIds)),
      submitters: new Map(),
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

const maxStatusBatch = 500;

/** Unknown runs count as inactive. */
const areInactive = async ({ sql }: Queue, runIds: readonly string[]): Promise<readonly boolean[]> => {
  const rows = await sql("SELECT run_id FROM haft_runs WHERE run_id = ANY($1) AND status = 'running'", [
    [...new Set(runIds)],
  ]);
  const running = new Set(rows.map(({ run_id }) => run_id));
  return runIds.map((runId) => !running.has(runId));
};

const maxRememberedSubmitters = 10_000;

export const rememberSubmitter = (
  { submitters }: FleetConnection,
  runId: string,
  caller: Principal,
): void => {
  submitters.set(runId, caller);
  const [oldest] = submitters.keys();
  if (submitters.size > maxRememberedSubmitters && oldest !== undefined) submitters.delete(oldest);
};

const postgresRequiredError = (given: string | undefined): ConfigurationError =>
  new ConfigurationError(
    "invalid_config",
    given === undefined
      ? 'A fleet needs a ledger in PostgreSQL: Haft.open({ ledger: "postgres://…", fleet: fleet() }). If `ledger` is your own store, set its database with fleet({ url }).'
      : `A fleet needs a ledger in PostgreSQL that every worker can reach, not "${given.split(":")[0]}".`,
  );
