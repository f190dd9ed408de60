import type { Effect } from "effect/Effect";
import type { ApprovalAnswer } from "./approval.ts";
import type { AuthorizedCall } from "./call.ts";
import type { CallObserver } from "./observer.ts";
import type { Outcome } from "./outcome.ts";
import type { ToolSpec } from "./spec.ts";

/** Handles one authorized call. Failures are outcomes, so the error channel is empty. */
export interface Handler<in Env = unknown> {
  (call: AuthorizedCall<Env>): Effect<Outcome>;
  /** Returns the handler with a time limit that it enforces itself, without an extra fiber. */
  readonly within?: (limit: TimeLimit) => Handler<Env>;
}

/** A time limit and the outcome when it expires. */
export interface TimeLimit {
  readonly millis: number;
  readonly onTimeout: (call: Pick<AuthorizedCall, "registration">) => Outcome;
}

// biome-ignore lint/suspicious/noExplicitAny: a layer passes on whatever Env it was given
type NextHandler = Handler<any>;

/**
 * Middleware around a call, usable at run, agent and tool scope. `Env` is the type that it needs in
 * `call.env`.
 */
export interface ToolLayer<in Env = unknown> {
  (next: NextHandler): Handler<Env>;
  /** Name of the layer in ledgers and traces. */
  readonly label?: string;
  /** How an input that the layer changed is validated. Unless set: the tool's own mode. */
  readonly validate?: "strict" | "lenient";
  /** The layer runs no user code around a call, so no call can be made from inside it. */
  readonly runsNoCode?: boolean;
  /** Called by stage 3 before anything runs. A layer must not wait for an approval itself. */
  readonly approve?: (call: ApprovalQuestion<Env>) => ApprovalAnswer | undefined;
  /** Returns why the layer has no effect around a tool; registration then warns. */
  readonly idleAround?: (tool: LayeredTool) => string | undefined;
  /** `false` removes the tool from the offer, as an open breaker does. */
  readonly isAvailable?: (tool: string, now: number) => boolean;
  /** Observes runs, and calls that never reach the layers. */
  readonly observer?: CallObserver;
}

export interface LayeredTool {
  readonly spec: ToolSpec;
  readonly implementation: { readonly provesNotRun?: boolean };
  readonly layers: readonly { readonly label?: string }[];
}

// biome-ignore lint/suspicious/noExplicitAny: where layers are kept, what each needs of Env was checked before
export type AnyLayer = ToolLayer<any>;

/** The call as an approval layer sees it before anything runs. */
export interface ApprovalQuestion<Env = unknown> {
  readonly tool: string;
  readonly input: unknown;
  readonly agent: string;
  readonly env: Env;
}

/** Its identity is the cache key of layer stacks. */
export interface LayerScopes {
  readonly run: readonly AnyLayer[];
  readonly agent: readonly AnyLayer[];
}

export const noLayerScopes: LayerScopes = Object.freeze({ run: Object.freeze([]), agent: Object.freeze([]) });
