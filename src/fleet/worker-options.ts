import { commonRunFields, type RunOptions } from "../agent/run-options.ts";
import { checkFields } from "../base/json/check-fields.ts";
import type { Agent } from "../types/agent.ts";
import { ConfigurationError } from "../types/errors.ts";
import type { Principal } from "../types/principal.ts";

/** Run options that a worker sets for all its runs; the others come from the ledger. */
export type WorkerRunOptions = Pick<RunOptions, (typeof commonRunFields)[number]>;

/** Options of a worker. */
export interface WorkerOptions {
  /** Agents whose runs the worker takes. */
  readonly agents: readonly Agent[];
  /** Maximum number of concurrent runs. Default: 16. */
  readonly concurrency?: number;
  /** Maximum number of jobs per fetch from the queue. Default: `concurrency`. */
  readonly batchSize?: number;
  /** Attempts before a run that fails, or loses its worker, becomes a dead letter. Default: 5. */
  readonly attempts?: number;
  /**
   * Whether a run that was submitted for one definition of an agent may resume with another. Default: it may
   * not.
   */
  readonly compatible?: (from: string, to: string, agent: Agent) => boolean;
  /** The caller's current rights, or undefined if it has none any more. Default: the rights at submission. */
  readonly principal?: (recorded: Principal) => Principal | undefined;
  /** How long a run waits for a worker with its agent and definition. Default: 15 minutes. */
  readonly waitForFitMs?: number;
  /** How long runs may continue while the worker drains. Default: 30 seconds. */
  readonly graceMs?: number;
  /** Interval between searches for lost runs. Default: 5 seconds. */
  readonly sweepMs?: number;
  /** Run options, for all agents or per agent. */
  readonly run?: WorkerRunOptions | ((agent: Agent) => WorkerRunOptions);
  /** Called for errors outside of runs, such as a lost connection. Default: errors are ignored. */
  readonly onTrouble?: (error: unknown) => void;
}

export type ParsedWorkerOptions = Required<Omit<WorkerOptions, "principal" | "agents" | "run">> &
  Pick<WorkerOptions, "principal"> & {
    readonly agents: ReadonlyMap<string, Agent>;
    readonly run: (agent: Agent) => WorkerRunOptions;
  };

const workerFields: readonly (keyof WorkerOptions)[] = [
  "agents",
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
  const { agents } = options;
  if (
    !Array.isArray(agents) ||
    agents.length === 0 ||
    !agents.every((each) => typeof each?.layer === "function")
  ) {
    throw workerOptionsError(
      "`agents` of openWorker must be a list of agents. Create an agent with agent({ … }).",
    );
  }
  const byName = new Map(agents.map((each) => [each.name, each]));
  if (byName.size < agents.length) throw workerOptionsError("Two agents of openWorker have the same name.");
  const parsed = {
    agents: byName,
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
  throw workerOptionsError(`\`${name}\` of openWorker must be a whole number from ${least} to ${most}.`);
};

const workerOptionsError = (message: string): ConfigurationError =>
  new ConfigurationError("invalid_config", message);
