import type { AppLine } from "./apps.ts";
import type { Text } from "./shared.ts";

/** An MCP server. */
export interface Server {
  readonly id: string;
  readonly status: "connecting" | "connected" | "degraded" | "disconnected" | "error";
  readonly reason?: string;
  readonly transport: "stdio" | "http" | "sse" | "websocket";
  readonly era?: string;
  readonly protocol?: string;
  readonly calledItself?: { readonly name: string; readonly version: string; readonly title?: string };
  readonly tools: readonly string[];
  readonly quarantined: readonly { readonly tool: string; readonly reason: string }[];
  readonly losses: readonly { readonly tool: string; readonly loss: string }[];
  readonly connectedAt?: number;
  readonly reconnects: number;
  /** Apps for the results of its tools. */
  readonly apps: readonly AppLine[];
  /** Supports sign-in. */
  readonly canSignIn: boolean;
  /** Latest lines, newest last. */
  readonly log: readonly ServerLogLine[];
}

/** A log line or status change of a server. */
export interface ServerLogLine {
  readonly at: number;
  readonly kind: "connected" | "disconnected" | "logged" | "trouble";
  readonly text: string;
}

/** All MCP servers of the runtime. */
export interface ServerList {
  readonly items: readonly Server[];
  /** Path of the lock file, if one is used. */
  readonly lock?: string;
}

/** URL where the sign-in continues. */
export interface SignInAddress {
  readonly url: string;
}

/** What a server offers, compared with the lock. */
export interface LockReview {
  readonly server: string;
  readonly lock?: string;
  readonly isClean: boolean;
  readonly change: string;
  /** Why the server could not be read. */
  readonly trouble?: string;
  readonly launch?: { readonly was?: string; readonly now?: string };
  readonly tools: readonly ReviewedTool[];
  /** Hash of the review. Approving requires it, so that only what was shown is accepted. */
  readonly hash: string;
}

/** One tool of a review. */
export interface ReviewedTool {
  readonly name: string;
  /** `new`, `changed`, `removed`, `renamed`, `same` or `refused`. */
  readonly change: string;
  readonly from?: string;
  readonly reason?: string;
  readonly parts: readonly {
    readonly pointer: string;
    readonly was?: Text;
    readonly now?: Text;
    readonly diff: Text;
  }[];
  readonly flags: readonly ReviewFlag[];
}

/** A suspicious part of a definition. */
export interface ReviewFlag {
  readonly code: string;
  readonly severity: string;
  readonly pointer: string;
  readonly excerpt: string;
  /** What it means and why it is dangerous. */
  readonly explained: string;
  readonly isAccepted: boolean;
}

/** The body of `POST /servers/{name}/review/approve`. */
export interface ApproveReviewBody {
  readonly hash: string;
  /** Tool names. Default: all tools of the server. */
  readonly tools?: readonly string[];
  /** Tools whose flags are accepted. */
  readonly accept?: readonly string[];
}

/** Result of an approved review. */
export interface ApprovedReview {
  readonly written: boolean;
  readonly lock: string;
  readonly message: string;
}
