import type { Effect } from "effect/Effect";
import type { ApprovalAnswer } from "./approval.ts";
import type { AuthorizedCall } from "./call.ts";
import type { CallObserver } from "./observer.ts";
import type { Outcome } from "./outcome.ts";
import type { ToolSpec } from "./spec.ts";

/** Answers one authorized call. Failures are outcomes, so the error channel is empty. */
export interface Handler<in Env = unknown> {
  (call: AuthorizedCall<Env>): Effect<Outcome>;
  /** The same handler, if it can stop itself in time: watching it from outside costs a fiber. */
  readonly within?: (limit: TimeLimit) => Handler<Env>;
}

/** How long a handler may take, and what it answers when that is over. */
export interface TimeLimit {
  readonly millis: number;
  readonly onTimeout: (call: Pick<AuthorizedCall, "registration">) => Outcome;
}

// biome-ignore lint/suspicious/noExplicitAny: a layer passes on whatever Env it was given
type NextHandler = Handler<any>;

/**
 * Behavior around a call. The same value works at run, agent and tool scope; `Env` is what it needs
 * to find in `call.env`.
 */
export interface ToolLayer<in Env = unknown> {
  (next: NextHandler): Handler<Env>;
  /** What the layer is called in ledgers and traces. */
  readonly label?: string;
  /** How an input that a layer changed is held against the schema; the tool's own mode unless a layer says. */
  readonly validate?: "strict" | "lenient";
  /** It runs no code of its author's around a call, so no call can be made from inside of it. */
  readonly runsNoCode?: boolean;
  /** Stage 3 asks this before anything runs; a layer never waits for a person itself. */
  readonly approve?: (call: ApprovalQuestion<Env>) => ApprovalAnswer | undefined;
  /** Why this layer can do nothing around a tool that brings it, such as a cache around one that writes; then whoever registers the tool is warned. */
  readonly idleAround?: (tool: LayeredTool) => string | undefined;
  /** `false` takes the tool out of the offer, as an open breaker does. */
  readonly isAvailable?: (tool: string, now: number) => boolean;
  /** Told of runs, and of calls that never come to the layers. */
  readonly observer?: CallObserver;
}

/** What a layer can know beforehand of the tool it is around. */
export interface LayeredTool {
  readonly spec: ToolSpec;
  readonly implementation: { readonly provesNotRun?: boolean };
  readonly layers: readonly { readonly label?: string }[];
}

// biome-ignore lint/suspicious/noExplicitAny: where layers are kept, what each needs of Env was checked before
export type AnyLayer = ToolLayer<any>;

/** What an approval layer is told of a call before it runs. */
export interface ApprovalQuestion<Env = unknown> {
  readonly tool: string;
  readonly input: unknown;
  readonly agent: string;
  readonly env: Env;
}

/** The layers that a run and its agent bring. The object's identity keys the stacks built for it. */
export interface LayerScopes {
  readonly run: readonly AnyLayer[];
  readonly agent: readonly AnyLayer[];
}

/** One and the same, so that stacks without such layers are built once. */
export const noLayerScopes: LayerScopes = Object.freeze({ run: Object.freeze([]), agent: Object.freeze([]) });
