import type { Input as DurationInput } from "effect/Duration";
import * as Effect from "effect/Effect";
import { hashJson } from "../base/json/canonical-json.ts";
import type { SchemaInput, SchemaOutput } from "../base/schema/infer.ts";
import type { SchemaCompiler } from "../base/schema/schema-compiler.ts";
import type { CallContext, ToolFunction } from "../types/call.ts";
import type { KeyScope } from "../types/ledger.ts";
import type { ArgumentRole } from "../types/lineage.ts";
import type { Outcome } from "../types/outcome.ts";
import type {
  Annotations,
  AnyLayer,
  Category,
  Implementation,
  NoSchemaMode,
  ReconcileContext,
  ReconcileResult,
  Risk,
  ToolMeta,
  ToolSource,
  ToolSpec,
} from "../types/tool.ts";
import type { ToolClass } from "./class-implementation.ts";

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

type RunResult<Value, Services> = Value | PromiseLike<Value> | Effect.Effect<Value, unknown, Services>;

/** The output type of the schema, or that of `run`. */
export type CallResultOf<Output, Value> = [Output] extends [undefined]
  ? Exclude<Value, Outcome>
  : SchemaOutput<Output>;

const hashCache = new WeakMap<ToolSpec, string>();

/** Approvals, locks and recordings of another definition are invalid. */
export const definitionHash = (spec: ToolSpec): string => {
  let hash = hashCache.get(spec);
  if (hash === undefined) {
    hash = hashJson(spec);
    hashCache.set(spec, hash);
  }
  return hash;
};

export type RunFunction = (input: never, context: CallContext) => unknown;

/** Exceptions and rejections are failures of the tool. */
export const runImplementation = <R = never>(run: RunFunction): Implementation<R> => {
  const bound = toRun(run) as ToolFunction<R>;
  return Object.freeze({ _tag: "function", bind: () => bound });
};

const toRun =
  (run: RunFunction): ToolFunction<unknown> =>
  (input, context) => {
    try {
      const answer = run(input as never, context);
      if (Effect.isEffect(answer)) return answer;
      if (answer instanceof Promise) return answer;
      return isThenable(answer) ? Promise.resolve(answer) : Effect.succeed(answer);
    } catch (thrown) {
      return Effect.fail(thrown);
    }
  };

const isThenable = (value: unknown): value is PromiseLike<unknown> =>
  typeof value === "object" &&
  value !== null &&
  typeof (value as { readonly then?: unknown }).then === "function";

export type ServicesOf<T> = T extends { readonly implementation: Implementation<infer R> }
  ? R
  : T extends ToolClass
    ? ServicesOfRun<T>
    : never;

type ServicesOfRun<T extends ToolClass> =
  ReturnType<InstanceType<T>["run"]> extends Effect.Effect<infer _A, infer _E, infer R> ? R : never;
