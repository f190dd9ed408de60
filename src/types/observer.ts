import type { Effect } from "effect/Effect";
import type { AgentResponse } from "./agent.ts";
import type { CallRequest } from "./call.ts";
import type { ToolError } from "./errors.ts";
import type { AnyLayer } from "./layer.ts";
import type { Outcome } from "./outcome.ts";
import type { Principal } from "./principal.ts";
import type { Registration } from "./tool.ts";

export interface ObservedCall {
  readonly request: CallRequest;
  readonly principal: Principal | undefined;
  readonly registration?: Registration | undefined;
}

export type MaskText = (text: string) => string;

export interface ObservedRun {
  readonly id: string;
  readonly agent: string;
  readonly model: string | undefined;
  readonly principal: Principal | undefined;
  readonly isResumed: boolean;
}

/** W3C Trace Context headers of an incoming request. */
export interface IncomingTrace {
  readonly message?: string | undefined;
  readonly messageState?: string | undefined;
  readonly transport?: string | undefined;
  readonly transportState?: string | undefined;
}

/**
 * Observes runs and calls beyond those that pass the layer. It cannot change them, and its exceptions do not
 * affect them.
 */
export interface CallObserver {
  readonly run: (
    run: ObservedRun,
    going: Effect<AgentResponse, ToolError>,
  ) => Effect<AgentResponse, ToolError>;
  readonly within: <A, E>(trace: IncomingTrace, going: Effect<A, E>) => Effect<A, E>;
  /** Returns the trace that the resumed call links to. */
  readonly waits: (call: ObservedCall, mask: MaskText) => string | undefined;
  /** Also called for calls that reached no layer. */
  readonly concluded: (call: ObservedCall, outcome: Outcome, durationMs: number, mask: MaskText) => void;
}

export const observerOf = (...scopes: readonly (readonly AnyLayer[])[]): CallObserver | undefined => {
  for (const layers of scopes) for (const { observer } of layers) if (observer) return observer;
  return undefined;
};
