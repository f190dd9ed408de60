import type { Input as DurationInput } from "effect/Duration";
import type { Effect } from "effect/Effect";
import type { SchemaInput, SchemaOutput } from "../base/schema/infer.ts";
import type { SchemaCompiler } from "../base/schema/schema-compiler.ts";
import type { CallContext } from "../types/call.ts";
import type { AnyLayer } from "../types/layer.ts";
import type { KeyScope } from "../types/ledger.ts";
import type { ArgumentRole } from "../types/lineage.ts";
import type { Outcome } from "../types/outcome.ts";
import type { Annotations, Category, NoSchemaMode, Risk, ToolMeta, ToolSource } from "../types/spec.ts";
import type { Implementation, ReconcileContext, ReconcileResult } from "../types/tool.ts";

/** A tool definition without the code. */
export interface ToolDescription<Name, Input, Output> {
  readonly type?: "function";
  /** Unique in its namespace: letters, digits, `_` and `-`. */
  readonly name: Name;
  /** The model decides by it when to use the tool. */
  readonly description: string;
  /** A JSON Schema, its properties, or a schema of zod, valibot, arktype or Effect. */
  readonly input?: Input;
  /** Alias of `input`. */
  readonly parameters?: Input;
  /** A result that violates it fails the call and is withheld from the model. */
  readonly output?: Output;
  /** Informal result type for readers and gram files; not checked. */
  readonly returnType?: string;
  /** Informal; `input` is authoritative. */
  readonly signature?: string;
  /** For filters and lists; policies ignore it. */
  readonly category?: Category;
  /** Default: `low`. `high` and `critical` require approval unless a rule waives it. */
  readonly risk?: Risk;
  /** `"5 seconds"`, or milliseconds; limited by `config.execution.maxTimeoutMs`. */
  readonly timeout?: DurationInput;
  /** Requires approval for each call, whatever the risk, unless a rule waives it. */
  readonly requiresApproval?: boolean;
  /**
   * Maximum cost of one call, reserved before it starts if a rule limits cost. Without it such calls run one
   * at a time.
   */
  readonly maxCost?: number;
  /** The origin of the tool, for rules. */
  readonly source?: ToolSource;
  /** Labels for rules and filters. `untrusted`, `trusted` and `sink` affect taint tracking. */
  readonly tags?: readonly string[];
  /** Properties of the code. By default a tool writes and must not be repeated. */
  readonly annotations?: Annotations;
  /**
   * What each argument decides, for the guard against prompt injection: `{ to: "target", body: "content" }`.
   * Undeclared roles are inferred from name and format.
   */
  readonly roles?: Readonly<Record<string, ArgumentRole>>;
  /** Additional JSON under namespaced names. MCP clients receive it as `_meta`. */
  readonly meta?: ToolMeta;
  /** `lenient` passes invalid arguments to the code. */
  readonly validate?: "strict" | "lenient";
  /** Asks providers to enforce the schema. Arguments are validated in any case. */
  readonly strict?: boolean;
  /** Allows a tool without input schema, whose calls are not validated. */
  readonly allowNoSchema?: boolean;
  /** Default: `human-approval`. */
  readonly noSchemaMode?: NoSchemaMode;
  /** Replaces the built-in validator. */
  readonly validator?: SchemaCompiler;
  /**
   * Names the effect of a call: `({ order }) => order`. Per tool and tenant, each key takes effect at most
   * once within 30 days; later calls get the recorded result. By default every call has its own key.
   */
  readonly key?: KeyDefinition<SchemaInput<Input>>;
  /**
   * Determines the outcome of a call with unknown effect, before the next call with its key and by `haft
   * settle`.
   */
  readonly reconcile?: (
    input: SchemaInput<Input>,
    context: ReconcileContext,
  ) => MaybePromise<
    ReconcileResult<[Output] extends [undefined] ? unknown : SchemaInput<Output>> | undefined
  >;
  /** Layers around each call, the last one outermost; equal to `.layer(…)`. */
  readonly layers?: readonly AnyLayer[];
}

/** The idempotency key, derived from the arguments as JSON with defaults. */
export type KeyDefinition<Input> =
  | ((input: Input) => string)
  | {
      readonly of: (input: Input) => string;
      /** Which callers share keys. Default: `tenant`. */
      readonly scope?: KeyScope;
      /** How long a key is kept after its call ended. Default: `"30 days"`. */
      readonly retention?: DurationInput;
    };

type MaybePromise<A> = A | PromiseLike<A>;

/** A tool definition with `run` or an implementation. */
export interface ToolDefinition<Name, Input, Output, Value, Services>
  extends ToolDescription<Name, Input, Output> {
  /** Runs after validation and policy. Exceptions are reported to the model as failures. */
  readonly run?: RunCode<
    readonly [input: SchemaOutput<Input>, context: CallContext],
    Output,
    Value,
    Services
  >;
  /** Another kind of implementation, such as `http({ … })`, instead of `run`. */
  readonly implementation?: Implementation<Services>;
}

export type DefinitionWithCode = { readonly implementation: unknown } | { readonly run: unknown };

export type RunCode<Arguments extends readonly unknown[], Output, Value, Services> = [Output] extends [
  undefined,
]
  ? (...given: Arguments) => RunResult<Value, Services>
  : (...given: Arguments) => RunResult<SchemaInput<Output> | Outcome, Services>;

type RunResult<Value, Services> = Value | PromiseLike<Value> | Effect<Value, unknown, Services>;

/** The output type of the schema, or that of `run`. */
export type CallResultOf<Output, Value> = [Output] extends [undefined]
  ? Exclude<Value, Outcome>
  : SchemaOutput<Output>;
