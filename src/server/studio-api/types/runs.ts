import type { Approval } from "./approvals.ts";
import type { CallLine } from "./calls.ts";
import type { Caller, Text } from "./shared.ts";

/** How a run stands. `running` also if its process died. */
export type RunState = "running" | "done" | "pending" | "stopped" | "cancelled" | "failed";

/** A run as a list shows it. */
export interface RunLine {
  readonly runId: string;
  readonly kind: "run" | "job" | "session" | "chat" | "schedule";
  readonly agent: string;
  readonly caller?: Caller;
  readonly status: RunState;
  readonly reason?: string;
  /** A living process goes on with it. */
  readonly isHeld: boolean;
  readonly turns: number;
  readonly tokens: Tokens;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** Tokens that models used. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

/** A run with its conversation and its calls. */
export interface Run {
  readonly line: RunLine;
  readonly firstAgent?: string;
  /** How many of the messages it began with. */
  readonly given: number;
  readonly messages: readonly RunMessage[];
  /** What was said is no longer kept. */
  readonly isForgotten: boolean;
  /** Calls and questions to models, oldest first. */
  readonly spans: readonly Span[];
  readonly isCut: boolean;
  readonly approvals: readonly Approval[];
  readonly handoffs: readonly { readonly from?: string; readonly to: string; readonly at?: number }[];
  readonly cost?: number;
  readonly can: { readonly resume: boolean; readonly giveUp: boolean; readonly replay: boolean };
  /** Why it cannot be resumed here, if it cannot. */
  readonly whyNot?: string;
}

/** One message of a conversation. */
export interface RunMessage {
  readonly role: "system" | "user" | "assistant" | "tool";
  readonly text: Text;
  readonly agent?: string;
  readonly reasoning?: Text;
  readonly calls?: readonly {
    readonly id: string;
    readonly tool: string;
    readonly input: Text;
    readonly entryId?: string;
  }[];
  readonly callId?: string;
  readonly tool?: string;
  readonly ok?: boolean;
  /** The approval that it waits for. */
  readonly pending?: string;
  readonly taints?: readonly string[];
  readonly media?: readonly { readonly kind: string; readonly mediaType: string; readonly name?: string }[];
}

/** A bar of the waterfall. */
export interface Span {
  readonly kind: "call" | "model";
  readonly call: CallLine;
  readonly beganAt: number;
  /** None while it goes on. */
  readonly endedAt?: number;
  /** How deep it is: 0 is the run's own. */
  readonly depth: number;
}

/** The body of `POST /runs/{id}/replay`. */
export interface ReplayBody {
  /** Which tools' code runs. Unless set: those that only read. */
  readonly execute?: "read-only" | "all" | "none";
}

/** What the model of a run would be told today. */
export interface ReplayResult {
  readonly runId: string;
  readonly summary: {
    readonly total: number;
    readonly same: number;
    readonly different: number;
    readonly refused: number;
    readonly "not-run": number;
    readonly gone: number;
  };
  readonly calls: readonly {
    readonly callId: string;
    readonly tool: string;
    readonly agent?: string;
    readonly status: "same" | "different" | "refused" | "not-run" | "gone";
    readonly why?: string;
    readonly before?: Text;
    readonly now?: Text;
    /** Lines that begin with `-`, `+` or a space. */
    readonly diff: Text;
  }[];
}

/** What came of resuming or giving up a run. */
export interface RunAction {
  readonly runId: string;
  readonly done: boolean;
  readonly message: string;
}
