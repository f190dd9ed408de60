import type { Effect } from "effect/Effect";
import type { RunStatus } from "./agent.ts";
import type { LedgerError } from "./errors.ts";
import type { Message } from "./message.ts";
import type { Usage } from "./model.ts";
import type { Principal } from "./principal.ts";

/** The first record of a run. */
export interface RunStart {
  readonly runId: string;
  /** Name of the first agent. */
  readonly agent: string;
  readonly principal: Principal | undefined;
  /** The initial conversation, including the new input. */
  readonly messages: readonly Message[];
  /** The run starts unclaimed and waits for a worker. */
  readonly queued?: QueuedRun | undefined;
  readonly at: number;
}

export interface QueuedRun {
  readonly definition: string;
  readonly notBefore?: number | undefined;
  readonly taints?: readonly string[] | undefined;
}

/** What one step adds to a run. */
export interface RunStep {
  readonly runId: string;
  /** Epoch of the claim; the store refuses an older one. */
  readonly epoch: number;
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly usage: Usage;
  /** The agent that continues. */
  readonly agent: string;
  readonly at: number;
  /** The store may batch this step with the run's next write. */
  readonly isSoon?: boolean;
}

export interface RunAmendment {
  readonly runId: string;
  readonly epoch: number;
  readonly messages: readonly Message[];
  readonly at: number;
}

/** The last record of a run. */
export interface RunEnd {
  readonly runId: string;
  readonly epoch: number;
  readonly status: RunStatus;
  readonly reason?: string | undefined;
  readonly at: number;
}

/** `running` includes runs whose process died; they resume from their last step. */
export interface RunSummary {
  readonly runId: string;
  readonly agent: string;
  readonly principal: Principal | undefined;
  readonly status: RunStatus | "running";
  /** Why the status is not `done`. */
  readonly reason?: string;
  /** A live process holds the run. */
  readonly isHeld?: boolean;
  readonly turns: number;
  readonly usage: Usage;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** A run with its conversation. */
export interface RunRecord extends RunSummary {
  /** The whole conversation; empty after its retention ended. */
  readonly messages: readonly Message[];
  /** Number of messages that the run started with. */
  readonly given: number;
  /** Name of the first agent. */
  readonly firstAgent?: string;
  /** Set for a run that was submitted to workers. */
  readonly queued?: QueuedRun;
}

/** Filters for listing runs. */
export interface RunQuery {
  readonly status?: RunSummary["status"];
  /** The current or last agent. */
  readonly agent?: string;
  /** Only runs that started before this run. */
  readonly before?: string;
  readonly limit?: number;
}

/** Result of cancelling a run. */
export type CancelResult = "given-up" | "unknown" | "ended";

/**
 * Stores runs step by step, so that another process can resume them. `begin` and `claim` return an epoch
 * (fencing token), which every later write carries; after a newer claim, writes with an older epoch fail with
 * `claim_lost`.
 */
export interface RunStore {
  readonly begin: (start: RunStart) => Effect<number, LedgerError>;
  readonly add: (step: RunStep) => Effect<void, LedgerError>;
  /** Replaces pending messages with their replies. */
  readonly amend: (amendment: RunAmendment) => Effect<void, LedgerError>;
  readonly end: (end: RunEnd) => Effect<void, LedgerError>;
  /** Cancels a run; a new epoch fences off the current holder. */
  readonly cancel: (runId: string, by: string | undefined, at: number) => Effect<CancelResult, LedgerError>;
  /** Calls `onLost` once this process has lost its claim. Returns a function that stops watching. */
  readonly watch: (runId: string, onLost: () => void) => () => void;
  readonly find: (runId: string) => Effect<RunRecord | undefined, LedgerError>;
  /** Newest first. */
  readonly list: (query?: RunQuery) => Effect<readonly RunSummary[], LedgerError>;
  /** Claims a run that no live process holds. Only one claimant gets the epoch; otherwise undefined. */
  readonly claim: (runId: string, at: number) => Effect<number | undefined, LedgerError>;
}
