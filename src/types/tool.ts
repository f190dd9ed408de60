import type { ToolFunction } from "./call.ts";
import type { ContentPart } from "./content.ts";
import type { AnyLayer } from "./layer.ts";
import type { KeyScope } from "./ledger.ts";
import type { ToolSpec } from "./spec.ts";
import type { Validator } from "./validator.ts";

/**
 * The code that keeps a spec's promise. An open union: a kind is a value with a `_tag` of its own
 * and a `bind` that yields the one shape the corridor runs.
 */
export interface Implementation<R = never> {
  readonly _tag: string;
  readonly bind: (spec: ToolSpec) => ToolFunction<R>;
  /**
   * This kind knows when nothing has left the process, so that its `ran: false` is a proof. Of any other kind it is a
   * claim of code that was started, and counts for nothing.
   */
  readonly provesNotRun?: boolean;
  /** Kinds of the code inside, where one kind wraps others: policy sees through to them. */
  readonly kinds?: readonly string[];
  /** What an orchestrator is handed for a hydrated call before anything runs, such as a class tool's instance. */
  readonly prepare?: (input: unknown) => object;
  /** The value as a program is given it, where this kind took media out of it that are its parts now. */
  readonly withParts?: (value: unknown, parts: readonly ContentPart[]) => unknown;
}

/** What names the effect of a call, such as an order number: one effect for each key, tool and scope. */
export interface EffectKey {
  readonly of: (input: unknown) => unknown;
  readonly scope: KeyScope;
  readonly retentionMs: number;
}

/** What a tool's `reconcile` knows of the first call, whose effect is unknown. */
export interface ReconcileContext {
  /** The id and the idempotency key that the code of the first call got. */
  readonly callId: string;
  readonly idempotencyKey: string;
  readonly tool: string;
  /** Who made the first call, and when, in milliseconds since 1970. */
  readonly agent: string | undefined;
  readonly user: string | undefined;
  readonly tenant: string | undefined;
  readonly calledAt: number;
  /** Aborts when the time is up. */
  readonly signal: AbortSignal;
}

/** What a tool's `reconcile` found out. Without an answer the effect stays unknown. */
export type ReconcileResult<Output = unknown> =
  | { readonly tookEffect: true; readonly output: Output }
  | { readonly tookEffect: false };

/** Finds out whether a call whose effect is unknown took effect. */
export type Reconcile = (input: unknown, context: ReconcileContext) => unknown;

/** A spec, the code behind it, and the layers the tool brings along. */
export interface Tool<Name extends string = string, In = unknown, Out = unknown, R = never> {
  readonly spec: ToolSpec & { readonly name: Name };
  readonly implementation: Implementation<R>;
  readonly layers: readonly AnyLayer[];
  readonly input: Validator;
  readonly output?: Validator;
  /** At most one effect for each key. Unless set: one for each call. */
  readonly key?: EffectKey;
  readonly reconcile?: Reconcile;
  /** Wraps the tool: of several layers the last named is outermost. */
  readonly layer: (...layers: readonly AnyLayer[]) => Tool<Name, In, Out, R>;
  readonly withName: <const N extends string>(name: N) => Tool<N, In, Out, R>;
  /** Carries the argument and result types; never present at run time. */
  readonly types?: { readonly input: In; readonly output: Out };
}

/** A tool, whatever it takes and gives. */
// biome-ignore lint/suspicious/noExplicitAny: whatever its types, the corridor runs it
export type AnyTool = Tool<string, any, any, any>;

/** `agent` is a tool that only the run of one agent knows; it is in no registry. */
export type ToolOrigin = "internal" | "org" | "project" | "agent";

/** The names of a tool in a registry, and where it is from. */
export interface RegisteredName {
  /** `tool`, `ns/tool` or `org/ns/tool`. */
  readonly key: string;
  /** The same name in the alphabet every provider accepts; it decides the tool alone. */
  readonly wireName: string;
  readonly origin: ToolOrigin;
}

/** A tool under its full name in a registry. */
export interface Registration extends RegisteredName {
  readonly tool: AnyTool;
  /** It tells its caller only of tools that the caller may see, so that it needs no right of its own; a denial counts. */
  readonly isFree?: true;
}

/** What a model was shown. Only a name in it is a tool, whatever else is registered. */
export interface OfferedTools {
  readonly byWireName: ReadonlyMap<string, Registration>;
}
