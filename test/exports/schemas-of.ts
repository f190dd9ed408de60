import type { JsonSchema } from "../../src/types/json.ts";

interface AnyWire {
  readonly function?: AnyWire;
  readonly functionDeclarations?: readonly AnyWire[];
  readonly parameters?: JsonSchema;
  readonly parametersJsonSchema?: JsonSchema;
  readonly responseJsonSchema?: JsonSchema;
  readonly input_schema?: JsonSchema;
  readonly inputSchema?: JsonSchema;
  readonly outputSchema?: JsonSchema;
  readonly strict?: boolean;
}

interface Schemas {
  readonly input: JsonSchema;
  readonly output: JsonSchema | undefined;
  readonly isStrict: boolean;
}

/** The schemas of the first exported tool, whatever the format. */
export const schemasOf = (wire: unknown): Schemas => {
  const outer = (wire ?? {}) as AnyWire;
  const inner = outer.function ?? outer.functionDeclarations?.[0] ?? outer;
  const input = inner.parameters ?? inner.parametersJsonSchema ?? inner.input_schema ?? inner.inputSchema;
  return {
    input: input ?? {},
    output: inner.outputSchema ?? inner.responseJsonSchema,
    isStrict: inner.strict === true,
  };
};
