import type { Input as DurationInput } from "effect/Duration";
import type { Effect } from "effect/Effect";
import type { Given, Validated } from "../schema/infer.ts";
import type { SchemaCompiler } from "../schema/schema-compiler.ts";
import type { CallContext } from "../words/call.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";
import type { Annotations, Category, NoSchemaMode, Risk, ToolMeta, ToolSource } from "../words/spec.ts";
import type { Implementation } from "../words/tool.ts";

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
  /** Around each call of this tool, the last one outermost; the same as `.layer(…)`. */
  readonly layers?: readonly AnyLayer[];
}

/** A tool is defined by `run`, or by an implementation of another kind. */
export interface ToolDefinition<Name, Input, Output, Value, Services>
  extends ToolDescription<Name, Input, Output> {
  /** Runs after validation and policy. What it throws is told to the model as a failure. */
  readonly run?: Code<readonly [input: Validated<Input>, context: CallContext], Output, Value, Services>;
  /** Code of another kind, such as `http({ … })`, in place of `run`. */
  readonly implementation?: Implementation<Services>;
}

/** A tool has code: `run`, or an implementation of another kind. */
export type WithCode = { readonly implementation: unknown } | { readonly run: unknown };

/** A function that keeps the promise of the output schema, if there is one. */
export type Code<Arguments extends readonly unknown[], Output, Value, Services> = [Output] extends [undefined]
  ? (...given: Arguments) => Returns<Value, Services>
  : (...given: Arguments) => Returns<Given<Output> | Outcome, Services>;

/** A value, a promise or an Effect of it. */
type Returns<Value, Services> = Value | PromiseLike<Value> | Effect<Value, unknown, Services>;

/** What a caller gets: what the output schema lets out, or else what `run` answers. */
export type ResultOf<Output, Value> = [Output] extends [undefined]
  ? Exclude<Value, Outcome>
  : Validated<Output>;
