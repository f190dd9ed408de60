import * as Context from "effect/Context";
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

/** What drives a run. */
type RunKind = "run" | "session" | "chat" | "job" | "schedule";

interface RunKindRules {
  /** Who resumes the run after an approval. `none`: it is never executed. */
  readonly resumedBy: "caller" | "session" | "chat" | "worker" | "none";
  /** The same for messages to operators. Undefined if `haft resume` resumes the run. */
  readonly resumer: string | undefined;
  readonly noun: string;
  /** What a cancellation is called: "The chat was deleted". */
  readonly ended: "cancelled" | "ended" | "deleted";
}

const runKinds: Readonly<Record<RunKind, RunKindRules>> = {
  run: { resumedBy: "caller", resumer: undefined, noun: "run", ended: "cancelled" },
  session: {
    resumedBy: "session",
    resumer: "the program that drives its session",
    noun: "session",
    ended: "ended",
  },
  chat: { resumedBy: "chat", resumer: "the handler of its chat page", noun: "chat", ended: "deleted" },
  job: { resumedBy: "worker", resumer: "a worker of the fleet", noun: "run", ended: "cancelled" },
  schedule: {
    resumedBy: "none",
    resumer: "a worker, which submits a run each time the schedule is due",
    noun: "schedule",
    ended: "cancelled",
  },
};

/**
 * The id carries the kind, because the hash chain covers ids: a column could be changed without a trace.
 * Ids of kind `run` have other prefixes.
 */
const prefixes = { session: "session-", chat: "chat-", job: "job-", schedule: "schedule-" } as const;

const markedKinds = Object.keys(prefixes) as readonly (keyof typeof prefixes)[];

export const runKindOf = (runId: string): RunKind =>
  markedKinds.find((kind) => runId.startsWith(prefixes[kind])) ?? "run";

export const runKindRulesOf = (runId: string): RunKindRules => runKinds[runKindOf(runId)];

export const toRunId = (kind: keyof typeof prefixes, rest: string): string => prefixes[kind] + rest;

/** The part of an id after its kind. */
export const unmarkedRunId = (kind: keyof typeof prefixes, runId: string): string =>
  runId.slice(prefixes[kind].length);

type WakeRun = (runId: string) => void;

/** Undefined by default: a worker then finds the run when it scans for lost runs. */
export const RunWaker: Context.Reference<WakeRun | undefined> = Context.Reference<WakeRun | undefined>(
  "haft/RunWaker",
  { defaultValue: () => undefined },
);
