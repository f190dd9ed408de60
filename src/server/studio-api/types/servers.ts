import type { AppLine } from "./apps.ts";
import type { Text } from "./shared.ts";

/** An MCP server as its operator sees it. */
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
  /** Pages that show what its tools answer. */
  readonly apps: readonly AppLine[];
  /** A person can give a right at it. */
  readonly canSignIn: boolean;
  /** The newest lines last: what it logged, what became of it. */
  readonly log: readonly ServerLogLine[];
}

/** A line about a server: what it wrote, or what became of it. */
export interface ServerLogLine {
  readonly at: number;
  readonly kind: "connected" | "disconnected" | "logged" | "trouble";
  readonly text: string;
}

/** All MCP servers of the runtime. */
export interface ServerList {
  readonly items: readonly Server[];
  /** The lock that holds them to what was reviewed; none where nothing is locked. */
  readonly lock?: string;
}

/** Where a person goes on. */
export interface SignInAddress {
  readonly url: string;
}

/** What one server offers now, held against what was reviewed. */
export interface LockReview {
  readonly server: string;
  readonly lock?: string;
  readonly isClean: boolean;
  readonly change: string;
  /** Why it could not be asked. */
  readonly trouble?: string;
  readonly launch?: { readonly was?: string; readonly now?: string };
  readonly tools: readonly ReviewedTool[];
  /** Of what is shown: `POST …/approve` takes it, so that nobody accepts what they have not seen. */
  readonly hash: string;
}

/** One tool of a review, with what changed in it. */
export interface ReviewedTool {
  readonly name: string;
  /** `new`, `changed`, `removed`, `renamed`, `same`, `refused`. */
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

/** Something in a definition that a reviewer must see. */
export interface ReviewFlag {
  readonly code: string;
  readonly severity: string;
  readonly pointer: string;
  readonly excerpt: string;
  /** What it means, and why it is dangerous. */
  readonly explained: string;
  readonly isAccepted: boolean;
}

/** The body of `POST /servers/{name}/review/approve`. */
export interface ApproveReviewBody {
  readonly hash: string;
  /** Names of tools. Unless set: all of the server. */
  readonly tools?: readonly string[];
  /** Tools whose dangers were read and are accepted. */
  readonly accept?: readonly string[];
}

/** What was written. */
export interface ApprovedReview {
  readonly written: boolean;
  readonly lock: string;
  readonly message: string;
}
