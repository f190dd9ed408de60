import type { Effect } from "effect/Effect";
import type { AgentResponse } from "./agent.ts";
import type { CallRequest } from "./call.ts";
import type { ToolError } from "./errors.ts";
import type { AnyLayer } from "./layer.ts";
import type { Outcome } from "./outcome.ts";
import type { Principal } from "./principal.ts";
import type { Registration } from "./tool.ts";

/** A call as far as it came, also where it came to no layer. */
export interface ObservedCall {
  readonly request: CallRequest;
  readonly principal: Principal | undefined;
  readonly registration?: Registration | undefined;
}

/** Masks the secrets that the runtime knows, in text that leaves it. */
export type MaskText = (text: string) => string;

/** A run of an agent that begins, or goes on. */
export interface ObservedRun {
  readonly id: string;
  readonly agent: string;
  readonly model: string | undefined;
  readonly principal: Principal | undefined;
  /** It was begun before, by this process or another. */
  readonly isResumed: boolean;
}

/** Traces of whoever called this process, as W3C Trace Context spells them. */
export interface IncomingTrace {
  /** Of the message itself, which is what the call continues. */
  readonly message?: string | undefined;
  readonly messageState?: string | undefined;
  /** Of the request that carried it, by its headers. */
  readonly transport?: string | undefined;
  readonly transportState?: string | undefined;
}

/**
 * What a layer that watches is told besides the calls that pass it. It changes nothing; whatever it throws, the call
 * goes on.
 */
export interface CallObserver {
  /** Around a whole run of an agent. */
  readonly run: (
    run: ObservedRun,
    going: Effect<AgentResponse, ToolError>,
  ) => Effect<AgentResponse, ToolError>;
  /** Around what a caller from outside this process asked for. */
  readonly within: <A, E>(trace: IncomingTrace, going: Effect<A, E>) => Effect<A, E>;
  /** A call begins to wait for a person: the trace to which it is linked when it goes on. */
  readonly waits: (call: ObservedCall, mask: MaskText) => string | undefined;
  /** A call failed, or began to wait, whether or not it came to the layers. */
  readonly concluded: (call: ObservedCall, outcome: Outcome, durationMs: number, mask: MaskText) => void;
}

/** The one that watches, of the layers that came first: two would tell everything twice. */
export const observerOf = (...scopes: readonly (readonly AnyLayer[])[]): CallObserver | undefined => {
  for (const layers of scopes) for (const { observer } of layers) if (observer) return observer;
  return undefined;
};
