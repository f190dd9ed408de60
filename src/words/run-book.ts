import type { Effect } from "effect/Effect";
import type { RunStatus } from "./agent.ts";
import type { LedgerError } from "./errors.ts";
import type { Message } from "./message.ts";
import type { Usage } from "./model.ts";
import type { Principal } from "./principal.ts";

export interface RunStart {
  readonly runId: string;
  /** Name of the agent that was asked first. */
  readonly agent: string;
  readonly principal: Principal | undefined;
  /** The conversation it starts with, the new input included. */
  readonly messages: readonly Message[];
  readonly at: number;
}

/** What one step of a run added. */
export interface RunStep {
  readonly runId: string;
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly usage: Usage;
  /** The agent that goes on. */
  readonly agent: string;
  readonly at: number;
}

export interface RunEnd {
  readonly runId: string;
  readonly status: RunStatus;
  readonly reason?: string | undefined;
  readonly at: number;
}

/** `running` also for a run whose process died: resuming goes on from its last step. */
export interface RunSummary {
  readonly runId: string;
  readonly agent: string;
  readonly principal: Principal | undefined;
  readonly status: RunStatus | "running";
  /** Why it is not `done`. */
  readonly reason?: string;
  /** A living process goes on with it. */
  readonly isHeld?: boolean;
  readonly turns: number;
  readonly usage: Usage;
  readonly startedAt: number;
  readonly updatedAt: number;
}

export interface RunRecord extends RunSummary {
  /** The whole conversation; empty once it is no longer kept. */
  readonly messages: readonly Message[];
  /** How many of the messages the run started with. */
  readonly given: number;
}

export interface RunQuery {
  readonly status?: RunSummary["status"];
  readonly limit?: number;
}

/** Runs step by step, so that another process can go on where one stopped. */
export interface RunBook {
  readonly begin: (start: RunStart) => Effect<void, LedgerError>;
  readonly add: (step: RunStep) => Effect<void, LedgerError>;
  /** Answers that came for messages that were pending replace them. */
  readonly amend: (runId: string, messages: readonly Message[], at: number) => Effect<void, LedgerError>;
  readonly end: (end: RunEnd) => Effect<void, LedgerError>;
  readonly find: (runId: string) => Effect<RunRecord | undefined, LedgerError>;
  /** Newest first. */
  readonly list: (query?: RunQuery) => Effect<readonly RunSummary[], LedgerError>;
  /** Exactly one of several takes a run that nobody is running; false if somebody is. */
  readonly claim: (runId: string, at: number) => Effect<boolean, LedgerError>;
}
