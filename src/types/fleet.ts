import type { Layer } from "effect/Layer";
import type { Agent, AgentResponse, RunInput } from "./agent.ts";
import type { Principal } from "./principal.ts";
import type { CancelResult } from "./run-store.ts";

/** How often a run is taken in comparison with others of the same tenant. */
export type RunPriority = "high" | "normal" | "low";

/** How a run is submitted. */
export interface SubmitOptions {
  /** The same key of the same caller means the same run. Unless set: each is a run of its own. */
  readonly key?: string;
  /** Runs of a tenant with a high priority are taken four times as often as its normal ones, and those four times as often as low ones. Unless set: `normal`. */
  readonly priority?: RunPriority;
  /** Begins so much later: milliseconds, or words such as "10 minutes". Unless set: at once. */
  readonly delay?: number | string;
  /** Five fields of cron: each time it is due a run is submitted. Unless set: one run. */
  readonly schedule?: string;
  /** The time zone of `schedule`, such as "Europe/Oslo". Unless set: UTC. */
  readonly timezone?: string;
  /** For whom, where the caller has no tenant of its own: tenants share the workers evenly. Unless set: the caller's. */
  readonly tenant?: string;
}

/** What `haft.submit` gives. */
export interface SubmittedRun {
  /** What `haft.wait`, `haft.follow` and `haft.cancel` take. Of a schedule, only `haft.cancel`. */
  readonly runId: string;
  /** False where the same key was submitted before. */
  readonly isNew: boolean;
}

/** How the end of a run is waited for. */
export interface WaitOptions<Output = unknown> {
  /** The run's agent, where its `output` is wanted. */
  readonly agent?: Agent<Output>;
  /** Also waits while persons are asked. Unless set: a run that waits for a person is given as `pending`. */
  readonly untilEnded?: boolean;
  /** Stops waiting. The run goes on. */
  readonly signal?: AbortSignal;
}

/** What is told of a run that goes on elsewhere. Its texts are told when they are on record, not word by word. */
export type FleetEvent =
  | { readonly kind: "queued" | "running"; readonly runId: string }
  | { readonly kind: "call-start"; readonly callId: string; readonly tool: string }
  | { readonly kind: "call-end"; readonly callId: string; readonly tool: string; readonly ok: boolean }
  | { readonly kind: "pending"; readonly response: AgentResponse }
  | { readonly kind: "done"; readonly response: AgentResponse };

/** Runs that other processes go on with, as one runtime has them. */
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

/** What `Haft.open({ fleet })` takes: `fleet()` of `haft/fleet` makes one. */
export interface Fleet {
  /** For one runtime. Connects with the first question. */
  readonly open: (runtime: object) => FleetRuns;
  /** Limits, breakers and pools for a runtime with this ledger. Connects with the first call that needs them. */
  readonly services: (ledgerUrl: string | undefined) => Layer<never>;
}

/** How a worker is doing. */
export interface WorkerHealth {
  readonly id: string;
  readonly state: "working" | "draining" | "closed";
  /** It takes runs: the queue answered within the last half minute, and nobody drains it. */
  readonly isReady: boolean;
  readonly running: number;
  /** Runs that it took, and those of them that came to an end or were parked, since it was opened. */
  readonly taken: number;
  readonly ended: number;
  /** What went wrong last outside of any run, if nothing went well since. */
  readonly trouble?: string;
}

/** A worker as the database knows it: it said so within the last seconds. */
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
  /** Runs that it ended in a second, of late. */
  readonly rate: number;
  readonly startedAt: number;
  readonly seenAt: number;
}

/** A run that waits for a person, or that no worker goes on with any more. */
export interface InactiveRun {
  readonly runId: string;
  readonly reason: string;
  readonly since: number;
}

/** The whole fleet, as the database has it. */
export interface FleetOverview {
  readonly workers: readonly FleetWorker[];
  readonly queue: {
    /** Runs that could be taken now. */
    readonly ready: number;
    readonly delayed: number;
    /** Runs that workers have. */
    readonly active: number;
    /** How long the oldest that could be taken has waited. */
    readonly oldestSeconds: number;
  };
  /** Oldest first, 100 at most. */
  readonly parked: readonly InactiveRun[];
  readonly parkedCount: number;
  /** Oldest first, 100 at most. */
  readonly dead: readonly InactiveRun[];
  readonly deadCount: number;
  readonly schedules: readonly {
    readonly runId: string;
    readonly cron: string;
    readonly timezone: string;
  }[];
  /** Pools with calls in them, by name. */
  readonly pools: readonly PoolOverview[];
}

/** Calls that were sent to a pool. */
export interface PoolOverview {
  readonly pool: string;
  readonly waiting: number;
  readonly running: number;
  /** How long the oldest that waits has waited. */
  readonly oldestSeconds: number;
}

/** What a worker tells whoever measures it. */
export interface WorkerMetrics {
  readonly health: () => WorkerHealth;
  readonly look: () => Promise<FleetOverview>;
}
