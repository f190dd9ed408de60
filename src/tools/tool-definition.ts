import type { Input as DurationInput } from "effect/Duration";
import type { Effect } from "effect/Effect";
import type { SchemaInput, SchemaOutput } from "../base/schema/infer.ts";
import type { SchemaCompiler } from "../base/schema/schema-compiler.ts";
import type { CallContext } from "../types/call.ts";
import type { AnyLayer } from "../types/layer.ts";
import type { KeyScope } from "../types/ledger.ts";
import type { Outcome } from "../types/outcome.ts";
import type { Annotations, Category, NoSchemaMode, Risk, ToolMeta, ToolSource } from "../types/spec.ts";
import type { Implementation, ReconcileContext, ReconcileResult } from "../types/tool.ts";

/** What an author may say about a tool, besides the code. */
export interface ToolDescription<Name, Input, Output> {
  readonly type?: "function";
  /** Unique in its namespace: letters, digits, `_` and `-`. Policy patterns and models go by it. */
  readonly name: Name;
  /** By this a model decides when to use the tool. */
  readonly description: string;
  /** A JSON Schema, its properties alone, or a schema of zod, valibot, arktype or Effect. */
  readonly input?: Input;
  /** Another word for `input`. */
  readonly parameters?: Input;
  /** What `run` must answer: a result that breaks it is withheld from the model, and is a failure. */
  readonly output?: Output;
  /** For readers and gram files; nothing is held against it. */
  readonly returnType?: string;
  /** The tool as one line of gram notation, kept as it is; `input` is what counts. */
  readonly signature?: string;
  /** For filters and lists; policy does not look at it. */
  readonly category?: Category;
  /** `low` unless named. `high` and `critical` need a person, unless a rule waives it. */
  readonly risk?: Risk;
  /** `"5 seconds"`, or milliseconds; never longer than `config.execution.maxTimeoutMs`. */
  readonly timeout?: DurationInput;
  /** A person must agree to each call, whatever its risk, unless a rule waives it. */
  readonly requiresApproval?: boolean;
  /** The most that one call costs. Reserved before it starts, where a rule counts cost; without it such calls take turns. */
  readonly maxCost?: number;
  /** Where the tool comes from, for rules; policy also looks at what its code is. */
  readonly source?: ToolSource;
  /** For rules and filters. `untrusted`, `trusted` and `sink` say how far its words and its effects are trusted. */
  readonly tags?: readonly string[];
  /** What may be relied on: a tool writes and must not be repeated unless it says otherwise here. */
  readonly annotations?: Annotations;
  /** Anything else there is to say, as JSON under names with a namespace: `{ "acme.com/owner": "billing" }`. MCP clients get it as `_meta`. */
  readonly meta?: ToolMeta;
  /** `lenient` passes arguments that do not fit on to the code, and says so in the ledger. */
  readonly validate?: "strict" | "lenient";
  /** Asks providers that can for arguments that keep to the schema. They are validated either way. */
  readonly strict?: boolean;
  /** Without it a tool that has no input schema is refused; with it, its calls are never validated. */
  readonly allowNoSchema?: boolean;
  /** Without a schema: `human-approval` unless named, so that a person sees what nobody validated. */
  readonly noSchemaMode?: NoSchemaMode;
  /** Judges arguments in the place of the built-in validator. */
  readonly validator?: SchemaCompiler;
  /**
   * Names the effect of a call: `({ order }) => order`. At most one effect for each key, tool and tenant within 30 days, across
   * runs, processes and machines; a second call gets the recorded result. Unless set: each call has its own effect.
   */
  readonly key?: KeyDefinition<SchemaInput<Input>>;
  /**
   * Finds out what became of a call whose effect is unknown, because its process died or its code failed. Asked before the
   * next call with the same key, and by `haft settle`.
   */
  readonly reconcile?: (
    input: SchemaInput<Input>,
    context: ReconcileContext,
  ) => MaybePromise<
    ReconcileResult<[Output] extends [undefined] ? unknown : SchemaInput<Output>> | undefined
  >;
  /** Around each call of this tool, the last one outermost; the same as `.layer(…)`. */
  readonly layers?: readonly AnyLayer[];
}

/** The key of a call, from its arguments as JSON with defaults. */
export type KeyDefinition<Input> =
  | ((input: Input) => string)
  | {
      readonly of: (input: Input) => string;
      /** Whose calls share a key. Unless set: `tenant`, all callers of one tenant. */
      readonly scope?: KeyScope;
      /** How long a key is kept after its call ended. Unless set: `"30 days"`. */
      readonly retention?: DurationInput;
    };

type MaybePromise<A> = A | PromiseLike<A>;

/** A tool is defined by `run`, or by an implementation of another kind. */
export interface ToolDefinition<Name, Input, Output, Value, Services>
  extends ToolDescription<Name, Input, Output> {
  /** Runs after validation and policy. What it throws is told to the model as a failure. */
  readonly run?: RunCode<
    readonly [input: SchemaOutput<Input>, context: CallContext],
    Output,
    Value,
    Services
  >;
  /** Code of another kind, such as `http({ … })`, in place of `run`. */
  readonly implementation?: Implementation<Services>;
}

/** A tool has code: `run`, or an implementation of another kind. */
export type DefinitionWithCode = { readonly implementation: unknown } | { readonly run: unknown };

/** A function that keeps the promise of the output schema, if there is one. */
export type RunCode<Arguments extends readonly unknown[], Output, Value, Services> = [Output] extends [
  undefined,
]
  ? (...given: Arguments) => RunResult<Value, Services>
  : (...given: Arguments) => RunResult<SchemaInput<Output> | Outcome, Services>;

/** A value, a promise or an Effect of it. */
type RunResult<Value, Services> = Value | PromiseLike<Value> | Effect<Value, unknown, Services>;

/** What a caller gets: what the output schema lets out, or else what `run` answers. */
export type CallResultOf<Output, Value> = [Output] extends [undefined]
  ? Exclude<Value, Outcome>
  : SchemaOutput<Output>;
