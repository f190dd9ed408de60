import type { ParameterListEntry } from "../base/schema/forms/parameter-list.ts";
import type { SchemaInput, SchemaOutput, SchemaSource } from "../base/schema/infer.ts";
import type { CallContext } from "../types/call.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import type { Tool } from "../types/tool.ts";
import { tool } from "./tool.ts";
import type { CallResultOf, RunCode, ToolDescription } from "./tool-definition.ts";

/** Positional for a parameter list. */
type FunctionArguments<Input> = Input extends readonly ParameterListEntry[]
  ? {
      [Index in keyof Input]: SchemaOutput<readonly [Input[Index]]> extends infer One
        ? One[keyof One]
        : never;
    }
  : readonly [input: SchemaOutput<Input>, context: CallContext];

export type FunctionDescription<Name, Input, Output> = Omit<ToolDescription<Name, Input, Output>, "name"> & {
  readonly name?: Name;
};

/** Makes a plain function a tool; a parameter list is passed by position. */
export const fromFunction = <
  const Input extends SchemaSource,
  const Output extends SchemaSource | undefined = undefined,
  const Name extends string = string,
  Value = unknown,
  Services = never,
>(
  code: RunCode<FunctionArguments<Input>, Output, Value, Services>,
  description: FunctionDescription<Name, Input, Output>,
): Tool<Name, SchemaInput<Input>, CallResultOf<Output, Value>, Services> => {
  const names = positionsOf(description.input ?? description.parameters);
  const call = code as unknown as (...given: readonly unknown[]) => unknown;
  const run =
    names === undefined
      ? (call as (input: unknown, context: CallContext) => unknown)
      : (input: unknown) => call(...names.map((name) => memberOf(input, name)));
  const name = description.name ?? nameOf(code);
  return tool({ ...description, name, run } as never) as never;
};

/** A parameter may be named like an inherited property. */
const memberOf = (input: unknown, name: string): unknown =>
  Object.hasOwn(input as object, name) ? (input as Record<string, unknown>)[name] : undefined;

const positionsOf = (source: unknown): readonly string[] | undefined =>
  Array.isArray(source) ? source.map((parameter: ParameterListEntry) => parameter?.name) : undefined;

const nameOf = (code: unknown): string => {
  if (typeof code !== "function") {
    throw new ToolDefinitionError(
      "invalid_definition",
      `fromFunction requires a function, not ${typeof code}.`,
    );
  }
  const name = code.name
    .replace(/^(?:bound |get |set )+/, "")
    .replaceAll("$", "_")
    .replace(/^_+/, "");
  if (name !== "") return name;
  throw new ToolDefinitionError(
    "refused_name",
    'The function has no name, so the tool needs one: fromFunction(fn, { name: "get_weather", … }).',
  );
};
