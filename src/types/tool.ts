import type { Effect } from "effect/Effect";
import type { ApprovalAnswer } from "./approval.ts";
import type { AuthorizedCall, CallObserver, ToolFunction } from "./call.ts";
import type { Issue, JsonSchema } from "./json.ts";
import type { KeyScope } from "./ledger.ts";
import type { ArgumentRoles } from "./lineage.ts";
import type { ContentPart } from "./message.ts";
import type { Outcome } from "./outcome.ts";

/** What kind of operation a tool performs, for lists and filters. */
export type Category = "search" | "file" | "code" | "http" | "data" | "custom";

export const risks = ["low", "medium", "high", "critical"] as const;
/** How much harm a call can do. `high` and `critical` require approval unless a rule waives it. */
export type Risk = (typeof risks)[number];

/** Where the tool's code comes from; a condition of rules. */
export type ToolSource = "builtin" | "mcp" | "function" | "plugin" | "http" | (string & {});

/** A tool counts as writing unless `readOnly`, and as non-idempotent unless `idempotent` or `readOnly`. */
export interface Annotations {
  readonly title?: string;
  readonly readOnly?: boolean;
  readonly idempotent?: boolean;
  readonly destructive?: boolean;
  /** Works with third parties: unless set otherwise, it is a source and, if it writes, a sink. */
  readonly openWorld?: boolean;
  /** Returns content of third parties, which can contain instructions for the model. */
  readonly untrusted?: boolean;
  /** Carries its arguments out, or does harm that untrusted content must not cause. */
  readonly sink?: boolean;
  /** Returns data that untrusted content must not make the model read, such as passport numbers. */
  readonly private?: boolean;
  /** The effect can be taken back and is announced to nobody new. */
  readonly reversible?: boolean;
}

/** Metadata of other systems, under namespaced names such as `acme.com/owner`. Plain JSON. */
export type ToolMeta = Readonly<Record<`${string}/${string}`, unknown>>;

/** What a tool without a schema may do: its calls are never validated. */
export type NoSchemaMode = "read-only" | "human-approval" | "full";

export const noSchemaModes: readonly NoSchemaMode[] = ["read-only", "human-approval", "full"];

/** What a tool promises: serializable, frozen, and independent of its implementation. */
export interface ToolSpec {
  readonly name: string;
  readonly description: string;
  readonly signature?: string;
  readonly input: JsonSchema;
  readonly output?: JsonSchema;
  readonly returnType?: string;
  readonly category: Category;
  readonly risk: Risk;
  readonly timeoutMs?: number;
  readonly requiresApproval: boolean;
  /** Maximum cost of one call: reserved before the call starts, where a rule limits cost. */
  readonly maxCost?: number;
  readonly source: ToolSource;
  readonly tags: readonly string[];
  readonly annotations: Annotations;
  /** What each argument decides. Undeclared roles are inferred from name and format. */
  readonly roles?: ArgumentRoles;
  readonly meta?: ToolMeta;
  /** `lenient` passes invalid arguments to the tool and records the violation in the ledger. */
  readonly validate: "strict" | "lenient";
  /** Requests schema-constrained arguments from providers that support them. */
  readonly strict: boolean;
  /** Set only for a tool without a schema. */
  readonly noSchemaMode?: NoSchemaMode;
}

export const isReadOnly = (spec: ToolSpec): boolean => spec.annotations.readOnly === true;

export const isIdempotent = (spec: ToolSpec): boolean =>
  spec.annotations.readOnly === true || spec.annotations.idempotent === true;

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

/** Result of a validation: the value with defaults, or the issues. */
export type Validation =
  | {
      readonly ok: true;
      /** JSON with defaults filled in; used by policy, keys, hashes, approvals and the ledger. */
      readonly value: unknown;
      /** Output of the author's own schema if it differs. Passed to the code only. */
      readonly transformed?: { readonly value: unknown };
    }
  | { readonly ok: false; readonly issues: readonly Issue[] };

/** Validates a value. It may write defaults into the value, so callers must pass their own copy. */
export interface Validator {
  (value: unknown): Validation;
  /** Name of the validation engine, for provenance. */
  readonly engine: string;
  /** When the schema was compiled. Unless set: at definition. */
  readonly compiledAt?: "definition" | "hydration";
}

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
