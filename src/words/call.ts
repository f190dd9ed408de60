import type { Effect } from "effect/Effect";
import type { Change, Mender, ProvenanceNote, RepairMode } from "./hydration.ts";
import type { AnyLayer } from "./layer.ts";
import type { Principal } from "./principal.ts";
import type { ToolSpec } from "./spec.ts";
import type { Registration } from "./tool.ts";

/** A call as somebody asked for it: nothing in it has been looked at yet. */
export interface RawCall {
  readonly id: string;
  readonly tool: string;
  /** The argument text exactly as it came, or a value from a caller in this process. */
  readonly input: unknown;
  /** Its place among the calls of its message. */
  readonly index?: number;
  /** The provider runs this one itself; nobody else may. */
  readonly providerExecuted?: boolean;
  /** `incomplete` if the reply ended inside this call. Nobody guesses the rest. */
  readonly finish?: "complete" | "incomplete";
  /** Where its dialect writes `null` for what is left out: pointers, with `*` for every item. */
  readonly nulls?: readonly string[];
}

/** What a running tool may know and use. */
export interface CallContext<Env = unknown> {
  readonly callId: string;
  readonly tool: string;
  /** Aborts when the call is cancelled or its time is up. */
  readonly signal: AbortSignal;
  readonly principal: Principal;
  /** Stays the same over every attempt at this call. */
  readonly idempotencyKey: string;
  readonly env: Env;
  readonly progress: (update: unknown) => void;
  /** Tells the ledger something beside the outcome, such as which variant answered. The model never sees it. */
  readonly note: (text: string) => void;
}

/**
 * The one shape every implementation is bound to. A promise is as welcome as an Effect: most tools
 * have one, and waiting for it costs no fiber.
 */
export type Run<R = never> = (
  input: unknown,
  context: CallContext,
) => Effect<unknown, unknown, R> | Promise<unknown>;

/** One run of an agent, or one turn outside of a run. Its identity keys whatever lives as long as it does. */
export interface RunScope {
  readonly id: string;
  readonly agent: string | undefined;
}

/** What one walk down the corridor carries from end to end. */
export interface Trip<Env = unknown> {
  readonly raw: RawCall;
  /** Key of this call in the ledger. */
  readonly entryId: string;
  readonly scope: RunScope;
  readonly principal: Principal | undefined;
  readonly correlationId: string | undefined;
  readonly env: Env;
  /** Whether arguments that cannot be used as they came may be mended once. */
  readonly repair?: RepairMode | undefined;
  /** Who is asked when `repair` is `model`. */
  readonly mender?: Mender | undefined;
  /** What it did, once it has answered; the raw call then holds its answer. */
  readonly mended?: Change;
  /** How the arguments became a value. Written by stage 1, for policy and the ledger. */
  provenance?: ProvenanceNote | undefined;
  /** What the ledger is told beside the outcome, such as a violation that a lenient tool lets pass. */
  readonly notes: string[];
}

/** Visible to its caller, readable, and valid against its spec. The input is frozen. */
export interface HydratedCall<Env = unknown> {
  readonly trip: Trip<Env>;
  readonly principal: Principal;
  readonly registration: Registration;
  readonly spec: ToolSpec;
  readonly input: unknown;
  /** False for a tool without a schema, and for a violation that a lenient tool lets pass. */
  readonly validated: boolean;
}

/** It is settled which code answers. */
export interface BoundCall<Env = unknown> extends HydratedCall<Env> {
  readonly run: Run;
}

/** What stage 3 allowed. The gate holds the call against it before the code runs. */
export interface Grant {
  readonly trip: Trip;
  readonly principal: Principal;
  readonly registration: Registration;
  readonly input: unknown;
  readonly run: Run;
  /** Layers that had a say, and have it again when the input changes. */
  readonly approvers: readonly AnyLayer[];
  /** Why, for the ledger: the rules that decided. */
  readonly decision: string;
}

declare const receipt: unique symbol;

/** Only stage 3 makes one, so running what was never authorized does not compile. */
export interface AuthorizedCall<Env = unknown> extends BoundCall<Env> {
  readonly [receipt]: "authorized";
  readonly grant: Grant;
  readonly env: Env;
}
