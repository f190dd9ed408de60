import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { Approved } from "./approval.ts";
import type { Change, Mender, ProvenanceNote, RepairMode } from "./hydration.ts";
import type { AnyLayer } from "./layer.ts";
import type { Principal } from "./principal.ts";
import type { Reply } from "./reply.ts";
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
  /** In a conversation: the call of the same message that had its id, and was answered instead of it. */
  readonly repeats?: string;
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
  /** Adds to what this call cost, in whatever currency the operator counts. */
  readonly cost: (amount: number) => void;
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
  /** What the run has come to; policy is told. A call on its own has none. */
  readonly tally?: RunTally | undefined;
}

/** Counted by the corridor while a run goes on. */
export interface RunTally {
  /** Calls whose code was started. */
  calls: number;
  cost: number;
  /** Full names of the tools whose untrusted words are in the conversation. */
  taints: readonly string[];
}

/** The call in which the running fiber is: what it calls in turn is written down as its part. */
export const CurrentTrip: Context.Reference<Trip | undefined> = Context.Reference<Trip | undefined>(
  "haft/CurrentTrip",
  { defaultValue: () => undefined },
);

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
  /** The caller's own name for this call; without one the entry is its name. */
  readonly key?: string | undefined;
  /** The key is this call's: nobody used it before. */
  isClaimed?: boolean | undefined;
  /** The call from inside whose code this one is made, and its entry. */
  readonly parent?: Trip | undefined;
  readonly parentId?: string | undefined;
  /** Tools whose untrusted words its code has heard from calls of its own. */
  heard?: readonly string[] | undefined;
  /** What its code said it cost. */
  cost?: number | undefined;
  /** Attempts that were started and have not said that nothing happened. */
  runs?: number | undefined;
  /** What the code got, where that is not what came. */
  ranWith?: { readonly input: unknown } | undefined;
  /** The reply once there is one, for a turn that may be stopped while it is written down. */
  readonly told?: { reply?: Reply } | undefined;
  /** As far as the call came before it was refused; written by the corridor, for the ledger. */
  reached?: BoundCall | undefined;
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
  /** Why, for the ledger, and the rules that decided. */
  readonly decision: string;
  readonly ruleIds: readonly string[];
  /** What a person said at once. An answer that came later is in the ledger by itself. */
  readonly approval: Approved | undefined;
}

declare const receipt: unique symbol;

/** Only stage 3 makes one, so running what was never authorized does not compile. */
export interface AuthorizedCall<Env = unknown> extends BoundCall<Env> {
  readonly [receipt]: "authorized";
  readonly grant: Grant;
  readonly env: Env;
}
