import type { Input as DurationInput } from "effect/Duration";
import type { Effect } from "effect/Effect";
import type { CallContext } from "../words/call.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { Outcome } from "../words/outcome.ts";
import type { Annotations, Category, NoSchemaMode, Risk, ToolSource } from "../words/spec.ts";
import type { Implementation } from "../words/tool.ts";
import type { Given, Validated } from "./schema/infer.ts";
import type { SchemaCompiler } from "./schema-compiler.ts";

/** What an author may say about a tool, besides the code. */
export interface ToolDescription<Name, Input, Output> {
  readonly type?: "function";
  readonly name: Name;
  /** By this a model decides when to use the tool. */
  readonly description: string;
  readonly input?: Input;
  /** Another word for `input`. */
  readonly parameters?: Input;
  readonly output?: Output;
  readonly returnType?: string;
  readonly signature?: string;
  readonly category?: Category;
  readonly risk?: Risk;
  /** `"5 seconds"`, or milliseconds. */
  readonly timeout?: DurationInput;
  readonly requiresApproval?: boolean;
  readonly source?: ToolSource;
  readonly tags?: readonly string[];
  readonly annotations?: Annotations;
  readonly validate?: "strict" | "lenient";
  readonly strict?: boolean;
  /** Without it a tool that has no input schema is refused; with it, its calls are never validated. */
  readonly allowNoSchema?: boolean;
  readonly noSchemaMode?: NoSchemaMode;
  /** Judges arguments in the place of the built-in validator. */
  readonly validator?: SchemaCompiler;
  readonly layers?: readonly AnyLayer[];
}

/** A tool is defined by `run`, or by an implementation of another kind. */
export interface ToolDefinition<Name, Input, Output, Value, Services>
  extends ToolDescription<Name, Input, Output> {
  readonly run?: Code<readonly [input: Validated<Input>, context: CallContext], Output, Value, Services>;
  readonly implementation?: Implementation<Services>;
}

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
