import type { SchemaInput, SchemaSource } from "../base/schema/infer.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import type { Implementation, Reconcile, Tool } from "../types/tool.ts";
import { assembleTool } from "./assemble-tool.ts";
import { readDefinition } from "./read-definition.ts";
import { readEffectKey } from "./read-effect-key.ts";
import {
  type CallResultOf,
  type DefinitionWithCode,
  type RunFunction,
  runImplementation,
  type ToolDefinition,
} from "./tool-definition.ts";

/** Defines a tool. Validates everything that models and operators see. */
export const tool = <
  const Name extends string,
  const Input extends SchemaSource | undefined = undefined,
  const Output extends SchemaSource | undefined = undefined,
  Value = unknown,
  Services = never,
>(
  definition: ToolDefinition<Name, Input, Output, Value, Services> & DefinitionWithCode,
): Tool<Name, SchemaInput<Input>, CallResultOf<Output, Value>, Services> => {
  const { spec: said, input, output } = readDefinition(definition);
  const layers = Object.freeze([...(definition.layers ?? [])]);
  const implementation = implementationOf(definition, said.name);
  // The source follows from the implementation.
  const source = definition.source ?? (implementation._tag === "http" ? "http" : said.source);
  const spec = source === said.source ? said : Object.freeze({ ...said, source });
  const key = readEffectKey(definition.key, said.name);
  const reconcile = definition.reconcile as Reconcile | undefined;
  return assembleTool({ spec, input, output, layers, implementation, key, reconcile }) as never;
};

const implementationOf = (
  definition: { readonly run?: unknown; readonly implementation?: unknown },
  name: string,
): Implementation<unknown> => {
  const { run, implementation } = definition;
  if (run !== undefined && implementation !== undefined) {
    throw invalid(name, "has both `run` and `implementation`; remove one");
  }
  if (typeof run === "function") {
    if (isGenerator(run))
      throw invalid(name, "has a `run` that is a generator function, whose body would not run");
    return runImplementation(run as RunFunction);
  }
  if (run !== undefined) throw invalid(name, `has a \`run\` that is ${typeof run}, not a function`);
  const bind = (implementation as { readonly bind?: unknown } | null | undefined)?.bind;
  if (typeof bind === "function") return implementation as Implementation<unknown>;
  throw invalid(name, "has no code: add `run: (input, context) => …` or an `implementation`");
};

const invalid = (name: string, why: string): ToolDefinitionError =>
  new ToolDefinitionError("invalid_definition", `The tool "${name}" ${why}.`, { tool: name });

const generators: readonly unknown[] = ["GeneratorFunction", "AsyncGeneratorFunction"];

const isGenerator = (run: object): boolean => generators.includes(run.constructor?.name);
