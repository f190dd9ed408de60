import type { Approval } from "./approvals.ts";
import type { CallLine } from "./calls.ts";
import type { Caller, Text } from "./shared.ts";

/** `running` includes runs whose process has ended. */
export type RunState = "running" | "done" | "pending" | "stopped" | "cancelled" | "failed";

/** A run in a list. */
export interface RunLine {
  readonly runId: string;
  readonly kind: "run" | "job" | "session" | "chat" | "schedule";
  readonly agent: string;
  readonly caller?: Caller;
  readonly status: RunState;
  readonly reason?: string;
  /** A living process holds the run. */
  readonly isHeld: boolean;
  readonly turns: number;
  readonly tokens: Tokens;
  readonly startedAt: number;
  readonly updatedAt: number;
}

/** Token usage. */
export interface Tokens {
  readonly input: number;
  readonly output: number;
  readonly cached?: number;
}

/** A run with its messages and calls. */
export interface Run {
  readonly line: RunLine;
  readonly firstAgent?: string;
  /** Number of initial messages. */
  readonly given: number;
  readonly messages: readonly RunMessage[];
  /** The messages are no longer stored. */
  readonly isForgotten: boolean;
  /** Tool and model calls, oldest first. */
  readonly spans: readonly Span[];
  readonly isCut: boolean;
  readonly approvals: readonly Approval[];
  readonly handoffs: readonly { readonly from?: string; readonly to: string; readonly at?: number }[];
  readonly cost?: number;
  readonly can: { readonly resume: boolean; readonly giveUp: boolean; readonly replay: boolean };
  /** Why the run cannot be resumed here. */
  readonly whyNot?: string;
}

/** One message of a run. */
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
  /** ID of the pending approval. */
  readonly pending?: string;
  readonly taints?: readonly string[];
  readonly media?: readonly { readonly kind: string; readonly mediaType: string; readonly name?: string }[];
}

/** A bar in the waterfall chart. */
export interface Span {
  readonly kind: "call" | "model";
  readonly call: CallLine;
  readonly beganAt: number;
  /** Unset while it runs. */
  readonly endedAt?: number;
  /** Nesting depth, from 0. */
  readonly depth: number;
}

/** The body of `POST /runs/{id}/replay`. */
export interface ReplayBody {
  /** Which tools run. Default: `read-only`. */
  readonly execute?: "read-only" | "all" | "none";
}

/** Differences between recorded and repeated calls. */
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
    /** Lines that start with `-`, `+` or a space. */
    readonly diff: Text;
  }[];
}

/** Result of resuming or canceling a run. */
export interface RunAction {
  readonly runId: string;
  readonly done: boolean;
  readonly message: string;
}
