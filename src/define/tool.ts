import { ToolDefinitionError } from "../words/errors.ts";
import type { AnyLayer } from "../words/layer.ts";
import type { ToolSpec } from "../words/spec.ts";
import type { Implementation, Tool } from "../words/tool.ts";
import type { Validator } from "../words/validator.ts";
import type { ResultOf, ToolDefinition } from "./definition.ts";
import { checkName } from "./name.ts";
import { readDefinition } from "./read-definition.ts";
import { type RunFunction, runImplementation } from "./run-implementation.ts";
import type { Given, SchemaSource } from "./schema/infer.ts";

/** Defines a tool. Everything a model or an operator will be told about it is checked here, once. */
export const tool = <
  const Name extends string,
  const Input extends SchemaSource | undefined = undefined,
  const Output extends SchemaSource | undefined = undefined,
  Value = unknown,
  Services = never,
>(
  definition: ToolDefinition<Name, Input, Output, Value, Services>,
): Tool<Name, Given<Input>, ResultOf<Output, Value>, Services> => {
  const { spec, input, output } = readDefinition(definition);
  const layers = Object.freeze([...(definition.layers ?? [])]);
  const implementation = implementationOf(definition, spec.name);
  return assemble({ spec, input, output, layers, implementation }) as never;
};

const implementationOf = (
  definition: { readonly run?: unknown; readonly implementation?: unknown },
  name: string,
): Implementation<unknown> => {
  const { run, implementation } = definition;
  if (run !== undefined && implementation !== undefined) {
    throw invalid(name, "has both `run` and `implementation`; leave one out");
  }
  if (typeof run === "function") return runImplementation(run as RunFunction);
  if (run !== undefined) throw invalid(name, `has a \`run\` that is ${typeof run}, not a function`);
  const bind = (implementation as { readonly bind?: unknown } | null | undefined)?.bind;
  if (typeof bind === "function") return implementation as Implementation<unknown>;
  throw invalid(name, "has no code: give it `run: (input, context) => …`, or an `implementation`");
};

const invalid = (name: string, why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `The tool "${name}" ${why}.`, { tool: name });

interface Parts {
  readonly spec: ToolSpec;
  readonly implementation: Implementation<unknown>;
  readonly layers: readonly AnyLayer[];
  readonly input: Validator;
  readonly output: Validator | undefined;
}

const assemble = (parts: Parts): Tool<string, never, unknown, unknown> => {
  const { output, ...rest } = parts;
  return Object.freeze({
    ...rest,
    ...(output === undefined ? {} : { output }),
    layer: (...more: readonly AnyLayer[]) =>
      assemble({ ...parts, layers: Object.freeze([...parts.layers, ...more]) }),
    withName: <const N extends string>(name: N) => {
      checkName(name);
      return assemble({ ...parts, spec: Object.freeze({ ...parts.spec, name }) }) as Tool<
        N,
        never,
        unknown,
        unknown
      >;
    },
  });
};
