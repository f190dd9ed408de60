import type { Agent, AgentResponse, RunInput } from "./agent.ts";
import type { Principal } from "./principal.ts";
import type { GivenUp } from "./run-book.ts";

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
  readonly cancel: (caller: Principal | undefined, runId: string, by: string | undefined) => Promise<GivenUp>;
  readonly close: () => Promise<void>;
}

/** What `Haft.open({ fleet })` takes: `fleet()` of `haft/fleet` makes one. */
export interface Fleet {
  /** For one runtime. Connects with the first question. */
  readonly open: (runtime: object) => FleetRuns;
}
