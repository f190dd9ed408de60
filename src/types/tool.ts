import type { ToolFunction } from "./call.ts";
import type { ContentPart } from "./content.ts";
import type { AnyLayer } from "./layer.ts";
import type { KeyScope } from "./ledger.ts";
import type { ToolSpec } from "./spec.ts";
import type { Validator } from "./validator.ts";

/**
 * The code behind a spec. An open union: each kind has its own `_tag` and a `bind` that returns the function
 * the pipeline runs.
 */
export interface Implementation<R = never> {
  readonly _tag: string;
  readonly bind: (spec: ToolSpec) => ToolFunction<R>;
  /**
   * Whether `ran: false` from this kind is a proof that nothing left the process. From other kinds it is
   * ignored.
   */
  readonly provesNotRun?: boolean;
  /** Kinds of the wrapped implementations, which policy checks too. */
  readonly kinds?: readonly string[];
  /** Creates what `haft.hydrate` returns before anything runs, such as an instance of a class tool. */
  readonly prepare?: (input: unknown) => object;
  /** Restores the value for programs if this kind moved media out of the value into parts. */
  readonly withParts?: (value: unknown, parts: readonly ContentPart[]) => unknown;
}

/** A business key of a call, such as an order number: at most one effect per key, tool and scope. */
export interface EffectKey {
  readonly of: (input: unknown) => unknown;
  readonly scope: KeyScope;
  readonly retentionMs: number;
}

/** What a tool's `reconcile` receives about the first call, whose effect is unknown. */
export interface ReconcileContext {
  /** Call id and idempotency key of the first call. */
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly tool: string;
  /** Caller and time (milliseconds since 1970) of the first call. */
  readonly agent: string | undefined;
  readonly user: string | undefined;
  readonly tenant: string | undefined;
  readonly calledAt: number;
  /** Aborts at the timeout. */
  readonly signal: AbortSignal;
}

/** Result of a tool's `reconcile`. Without a result the effect stays unknown. */
export type ReconcileResult<Output = unknown> =
  | { readonly tookEffect: true; readonly output: Output }
  | { readonly tookEffect: false };

export type Reconcile = (input: unknown, context: ReconcileContext) => unknown;

/** A spec, its implementation, and the tool's own layers. */
export interface Tool<Name extends string = string, In = unknown, Out = unknown, R = never> {
  readonly spec: ToolSpec & { readonly name: Name };
  readonly implementation: Implementation<R>;
  readonly layers: readonly AnyLayer[];
  readonly input: Validator;
  readonly output?: Validator;
  /** At most one effect per key. Unless set: no key, and each call has its own effect. */
  readonly key?: EffectKey;
  readonly reconcile?: Reconcile;
  /** Returns the tool with more layers around it; the last one is outermost. */
  readonly layer: (...layers: readonly AnyLayer[]) => Tool<Name, In, Out, R>;
  readonly withName: <const N extends string>(name: N) => Tool<N, In, Out, R>;
  /** Carries the argument and result types; never present at run time. */
  readonly types?: { readonly input: In; readonly output: Out };
}

/** A tool with any name, input and output types. */
// biome-ignore lint/suspicious/noExplicitAny: the pipeline runs tools of all types
export type AnyTool = Tool<string, any, any, any>;

/** `agent` is a tool of a single agent's run that is in no registry. */
export type ToolOrigin = "internal" | "org" | "project" | "agent";

export interface RegisteredName {
  readonly key: string;
  readonly wireName: string;
  readonly origin: ToolOrigin;
}

export interface Registration extends RegisteredName {
  readonly tool: AnyTool;
  /**
   * The tool reveals only tools that its caller may see, so the caller needs no permission for it; a denial
   * still applies.
   */
  readonly isFree?: true;
}

/** Tools shown to a model. A name outside of the offer is unknown, even if it is registered. */
export interface OfferedTools {
  readonly byWireName: Pick<ReadonlyMap<string, Registration>, "get" | "values">;
}
