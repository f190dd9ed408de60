import type { Layer } from "effect/Layer";
import type { Agent, AgentResponse, RunInput } from "./agent.ts";
import type { Principal } from "./principal.ts";
import type { CancelResult } from "./run-store.ts";

/** Priority of a run among the runs of its tenant. */
export type RunPriority = "high" | "normal" | "low";

/** Options of `haft.submit`. */
export interface SubmitOptions {
  /** The same key from the same caller means the same run. Unless set: a new run. */
  readonly key?: string;
  /** Workers take four times as many runs of a tenant's next higher priority. Unless set: `normal`. */
  readonly priority?: RunPriority;
  /** Delay before the run: milliseconds, or text such as "10 minutes". Unless set: none. */
  readonly delay?: number | string;
  /** Cron expression with five fields; each due time submits a run. Unless set: one run. */
  readonly schedule?: string;
  /** Time zone of `schedule`, such as "Europe/Oslo". Unless set: UTC. */
  readonly timezone?: string;
  /** Tenant for fair scheduling, if the caller has none of its own. Unless set: the caller's. */
  readonly tenant?: string;
}

/** Result of `haft.submit`. */
export interface SubmittedRun {
  /** Accepted by `haft.wait`, `haft.follow` and `haft.cancel`; the id of a schedule only by `haft.cancel`. */
  readonly runId: string;
  /** False if the same key was submitted before. */
  readonly isNew: boolean;
}

/** Options of `haft.wait`. */
export interface WaitOptions<Output = unknown> {
  /** The run's agent, needed for a typed `output`. */
  readonly agent?: Agent<Output>;
  /** Keeps waiting while the run is pending. Unless set: a pending run is returned. */
  readonly untilEnded?: boolean;
  /** Stops waiting; the run continues. */
  readonly signal?: AbortSignal;
}

/** An event of a run in another process. Texts are reported once they are recorded, not per token. */
export type FleetEvent =
  | { readonly kind: "queued" | "running"; readonly runId: string }
  | { readonly kind: "call-start"; readonly callId: string; readonly tool: string }
  | { readonly kind: "call-end"; readonly callId: string; readonly tool: string; readonly ok: boolean }
  | { readonly kind: "pending"; readonly response: AgentResponse }
  | { readonly kind: "done"; readonly response: AgentResponse };

/** The operations of a runtime on runs that workers execute. */
export interface FleetRuns {
  readonly submit: (
    caller: Principal | undefined,
    agent: Agent,
    input: RunInput,
    options: SubmitOptions,
  ) => Promise<SubmittedRun>;
  readonly wait: (
    caller: Principal | undefined,
    runId: string,
    options: WaitOptions,
  ) => Promise<AgentResponse>;
  readonly follow: (
    caller: Principal | undefined,
    runId: string,
    options: Pick<WaitOptions, "signal">,
  ) => AsyncIterable<FleetEvent>;
  readonly cancel: (
    caller: Principal | undefined,
    runId: string,
    by: string | undefined,
  ) => Promise<CancelResult>;
  readonly close: () => Promise<void>;
}

/** Option `fleet` of `Haft.open`; `fleet()` of `haft/fleet` creates one. */
export interface Fleet {
  /** Opens the operations of one runtime. Connects at the first operation. */
  readonly open: (runtime: object) => FleetRuns;
  /** Provides limits and breakers to a runtime with this ledger. */
  readonly services: (ledgerUrl: string | undefined) => Layer<never>;
}

/** Health of a worker. */
export interface WorkerHealth {
  readonly id: string;
  readonly state: "working" | "draining" | "closed";
  /** The worker takes runs: the queue answered within 30 seconds, and the worker is not draining. */
  readonly isReady: boolean;
  readonly running: number;
  /** Runs taken since the worker was opened, and those of them that ended or were parked. */
  readonly taken: number;
  readonly ended: number;
  /** The last error outside of runs, cleared by the next success. */
  readonly trouble?: string;
}

/** A worker as recorded in the database within the last seconds. */
export interface FleetWorker {
  readonly id: string;
  readonly host: string;
  readonly pid: number;
  readonly agents: readonly string[];
  readonly state: string;
  readonly concurrency: number;
  readonly running: number;
  readonly taken: number;
  readonly ended: number;
  /** Runs ended per second, recently. */
  readonly rate: number;
  readonly startedAt: number;
  readonly seenAt: number;
}

/** A run that waits for approval, or that was dead-lettered. */
export interface InactiveRun {
  readonly runId: string;
  readonly reason: string;
  readonly since: number;
}

/** State of the fleet in the database. */
export interface FleetOverview {
  readonly workers: readonly FleetWorker[];
  readonly queue: {
    /** Runs that could be taken now. */
    readonly ready: number;
    readonly delayed: number;
    /** Runs held by workers. */
    readonly active: number;
    /** Wait time of the oldest ready run. */
    readonly oldestSeconds: number;
  };
  /** Oldest first, at most 100. */
  readonly parked: readonly InactiveRun[];
  readonly parkedCount: number;
  /** Oldest first, at most 100. */
  readonly dead: readonly InactiveRun[];
  readonly deadCount: number;
  readonly schedules: readonly {
    readonly runId: string;
    readonly cron: string;
    readonly timezone: string;
  }[];
}

/** Measurements of a worker. */
export interface WorkerMetrics {
  readonly health: () => WorkerHealth;
  readonly look: () => Promise<FleetOverview>;
}
