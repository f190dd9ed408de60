import { compileSchema } from "../base/schema/compile-schema.ts";
import { ollamaParameters } from "../models/dialects/ollama/to-ollama.ts";
import { precomputeNeeds } from "../models/dialects/schema/schema-needs.ts";
import { suggestNames } from "../registry/suggest-names.ts";
import type { ToolRegistry } from "../registry/tool-registry.ts";
import type { ToolSpec } from "../types/tool.ts";

export const prepareRegistry = (registry: ToolRegistry): void => {
  for (const { tool } of registry.ordered()) prepareSchemas(tool.spec);
  warmUpFunctions(registry);
};

/** Skips schemas with lazy getters, because most of them are never used. */
const prepareSchemas = (spec: ToolSpec): void => {
  if (Object.getOwnPropertyDescriptor(spec, "input")?.get !== undefined) return;
  precomputeNeeds(spec.input);
  ollamaParameters(spec.input);
};

let isWarm = false;

/** Warms up V8, whose first run of a function takes longer than a hundred calls. Once per process. */
const warmUpFunctions = (registry: ToolRegistry): void => {
  const all = registry.ordered();
  if (isWarm || all.length === 0) return;
  isWarm = true;
  compileSchema(sampleSchema)({ text: "a", numbers: [1] });
  for (const { tool } of all.slice(0, 5)) suggestNames(tool.spec.name.slice(1), all, () => true);
};

const sampleSchema = {
  type: "object",
  properties: {
    text: { type: "string", minLength: 1 },
    numbers: { type: "array", items: { type: "integer", minimum: 1 } },
    choice: { enum: ["a", "b"], default: "a" },
  },
  required: ["text"],
  additionalProperties: false,
};
