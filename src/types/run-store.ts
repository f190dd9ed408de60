import type { Effect } from "effect/Effect";
import type { RunStatus } from "./agent.ts";
import type { LedgerError } from "./errors.ts";
import type { Message } from "./message.ts";
import type { Usage } from "./model.ts";
import type { Principal } from "./principal.ts";

/** How a run begins, as a ledger records it. */
export interface RunStart {
  readonly runId: string;
  /** Name of the agent that was asked first. */
  readonly agent: string;
  readonly principal: Principal | undefined;
  /** The conversation it starts with, the new input included. */
  readonly messages: readonly Message[];
  /** Nobody holds it: it waits for whoever claims it first. */
  readonly queued?: QueuedRun | undefined;
  readonly at: number;
}

/** What is said of a run that another process is to go on with. */
export interface QueuedRun {
  /** Hash of its agent's definition, as the submitter has it. */
  readonly definition: string;
  /** Nobody begins with it before this time, in milliseconds since 1970. */
  readonly notBefore?: number | undefined;
  /** Tools whose untrusted words the code had read that submitted it. */
  readonly taints?: readonly string[] | undefined;
}

/** What one step of a run added. */
export interface RunStep {
  readonly runId: string;
  /** The claim under which it is written: one that is not the newest is refused. */
  readonly epoch: number;
  readonly messages: readonly Message[];
  readonly turns: number;
  readonly usage: Usage;
  /** The agent that goes on. */
  readonly agent: string;
  readonly at: number;
  /** Nobody waits for it: it may be written with what this run writes next, before it, and that is refused if this is. */
  readonly isSoon?: boolean;
}

/** Answers that came for messages that were pending. */
export interface RunAmendment {
  readonly runId: string;
  readonly epoch: number;
  readonly messages: readonly Message[];
  readonly at: number;
}

/** How a run ends, as a ledger records it. */
export interface RunEnd {
  readonly runId: string;
  readonly epoch: number;
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

/** A run with its conversation. */
export interface RunRecord extends RunSummary {
  /** The whole conversation; empty once it is no longer kept. */
  readonly messages: readonly Message[];
  /** How many of the messages the run started with. */
  readonly given: number;
  /** The agent that was asked first. */
  readonly firstAgent?: string;
  /** Of a run that was submitted for others to go on with. */
  readonly queued?: QueuedRun;
}

/** Which runs are wanted. */
export interface RunQuery {
  readonly status?: RunSummary["status"];
  /** Of the agent that speaks, or spoke last. */
  readonly agent?: string;
  /** Only those that began before this run. */
  readonly before?: string;
  readonly limit?: number;
}

/** What came of giving a run up. */
export type CancelResult = "given-up" | "unknown" | "ended";

/**
 * Runs step by step, so that another process can go on where one stopped. Whoever begins or claims a run gets an
 * epoch, which every later write carries: after another claim the older epoch is refused with `claim_lost`.
 */
export interface RunStore {
  readonly begin: (start: RunStart) => Effect<number, LedgerError>;
  readonly add: (step: RunStep) => Effect<void, LedgerError>;
  /** Answers that came for messages that were pending replace them. */
  readonly amend: (amendment: RunAmendment) => Effect<void, LedgerError>;
  readonly end: (end: RunEnd) => Effect<void, LedgerError>;
  /** Ends a run that nobody will go on with; whoever still holds it is fenced off by a new epoch. */
  readonly giveUp: (runId: string, by: string | undefined, at: number) => Effect<CancelResult, LedgerError>;
  /** Calls `onLost` once this process has lost its claim. Gives back how to stop watching. */
  readonly watch: (runId: string, onLost: () => void) => () => void;
  readonly find: (runId: string) => Effect<RunRecord | undefined, LedgerError>;
  /** Newest first. */
  readonly list: (query?: RunQuery) => Effect<readonly RunSummary[], LedgerError>;
  /** Exactly one of several takes a run that nobody is running, and gets its epoch; nothing if somebody is, or it ended. */
  readonly claim: (runId: string, at: number) => Effect<number | undefined, LedgerError>;
}

/** How the id of a submitted run begins. */
export const jobRunPrefix = "job-";

/** Whether a run was submitted to a fleet: any worker goes on with it, and its answer is kept for whoever submitted it. */
export const isJobRun = (runId: string): boolean => runId.startsWith(jobRunPrefix);

/** How the id of a schedule begins: a run that is never gone on with, and copied each time that it is due. */
export const scheduleRunPrefix = "schedule-";

export const isScheduleRun = (runId: string): boolean => runId.startsWith(scheduleRunPrefix);

/** How the id of a session's run begins. */
export const sessionRunPrefix = "session-";

/** Whether a run is a session: only the loop that drives it goes on with it. */
export const isSessionRun = (runId: string): boolean => runId.startsWith(sessionRunPrefix);

/** How the id of a chat's run begins. */
export const chatRunPrefix = "chat-";

/** Whether a run is a chat: only the page's handler goes on with it. */
export const isChatRun = (runId: string): boolean => runId.startsWith(chatRunPrefix);
