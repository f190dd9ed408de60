import { commonRunFields, type RunOptions } from "../agent/run-options.ts";
import { checkFields } from "../base/json/check-fields.ts";
import type { Agent } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";
import { isPoolName } from "./remote.ts";

/** What of a run's options holds for every run of a worker; the rest the ledger knows. */
export type WorkerRunOptions = Pick<RunOptions, (typeof commonRunFields)[number]>;

/** How a worker takes runs. */
export interface WorkerOptions {
  /** Whose runs it takes, by name. May be empty where it serves pools. */
  readonly agents: readonly Agent[];
  /** Pools whose calls it also runs, with the tools of its runtime whose code is there. Unless set: none. */
  readonly pools?: readonly string[];
  /** How many calls of each pool run at once. Unless set: 4. */
  readonly poolConcurrency?: number;
  /** How many runs go on at once. Unless set: 16. */
  readonly concurrency?: number;
  /** How many are taken by one question to the queue. Unless set: as many as may go on at once. */
  readonly batchSize?: number;
  /** How often a run is tried that fails, or that workers are lost over. Then it is a dead letter. Unless set: 5. */
  readonly attempts?: number;
  /** Whether a run that was submitted for one definition of an agent may go on with another. Unless set: it may not. */
  readonly compatible?: (from: string, to: string, agent: Agent) => boolean;
  /** The rights that a caller has by now; nothing where it has none any more. Unless set: those it had when it submitted the run. */
  readonly principal?: (recorded: Principal) => Principal | undefined;
  /** How long a run waits for a worker with its agent and definition. Unless set: 15 minutes. */
  readonly waitForFitMs?: number;
  /** How long runs may go on once the worker is drained. Unless set: 30 seconds. */
  readonly graceMs?: number;
  /** How often it looks for runs that were lost. Unless set: 5 seconds. */
  readonly sweepMs?: number;
  /** How each run goes, or how those of an agent do. */
  readonly run?: WorkerRunOptions | ((agent: Agent) => WorkerRunOptions);
  /** Hears what goes wrong outside of any run, such as a lost connection. Unless set: nobody does. */
  readonly onTrouble?: (error: unknown) => void;
}

export type ParsedWorkerOptions = Required<Omit<WorkerOptions, "principal" | "agents" | "run">> &
  Pick<WorkerOptions, "principal"> & {
    readonly agents: ReadonlyMap<string, Agent>;
    readonly run: (agent: Agent) => WorkerRunOptions;
  };

const workerFields: readonly (keyof WorkerOptions)[] = [
  "agents",
  "pools",
  "poolConcurrency",
  "concurrency",
  "batchSize",
  "attempts",
  "compatible",
  "principal",
  "waitForFitMs",
  "graceMs",
  "sweepMs",
  "run",
  "onTrouble",
];

export const readWorkerOptions = (options: WorkerOptions): ParsedWorkerOptions => {
  checkFields("openWorker", options, workerFields);
  const { concurrency = 16, run = {}, principal } = options;
  if (typeof run !== "function") checkFields("`run` of openWorker", run, commonRunFields);
  const { agents, pools = [] } = options;
  if (!Array.isArray(pools) || !pools.every(isPoolName)) {
    throw workerOptionsError('`pools` of openWorker is a list of names of pools, such as ["gpu"].');
  }
  if (
    !Array.isArray(agents) ||
    (agents.length === 0 && pools.length === 0) ||
    !agents.every((each) => typeof each?.layer === "function")
  ) {
    throw workerOptionsError("`agents` of openWorker is a list of agents; make one with agent({ … }).");
  }
  const byName = new Map(agents.map((each) => [each.name, each]));
  if (byName.size < agents.length) throw workerOptionsError("Two agents of openWorker have the same name.");
  const parsed = {
    agents: byName,
    pools: [...new Set(pools)],
    poolConcurrency: checkCount("poolConcurrency", options.poolConcurrency ?? 4, 1, 10_000),
    concurrency: checkCount("concurrency", concurrency, 1, 10_000),
    batchSize: checkCount("batchSize", options.batchSize ?? concurrency, 1, 10_000),
    attempts: checkCount("attempts", options.attempts ?? 5, 1, 1_000),
    waitForFitMs: checkCount("waitForFitMs", options.waitForFitMs ?? 15 * 60_000, 0, 1e10),
    graceMs: checkCount("graceMs", options.graceMs ?? 30_000, 0, 1e9),
    sweepMs: checkCount("sweepMs", options.sweepMs ?? 5_000, 10, 1e9),
    compatible: options.compatible ?? (() => false),
    onTrouble: options.onTrouble ?? (() => {}),
    run: typeof run === "function" ? run : () => run,
  };
  return principal === undefined ? parsed : { ...parsed, principal };
};

const checkCount = (name: string, value: unknown, least: number, most: number): number => {
  if (Number.isInteger(value) && (value as number) >= least && (value as number) <= most)
    return value as number;
  throw workerOptionsError(`\`${name}\` of openWorker is a whole number from ${least} to ${most}.`);
};

const workerOptionsError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
