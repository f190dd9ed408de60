import { tool } from "../../dist/index.js";

type Schema = Readonly<Record<string, unknown>>;

/** Schemas as servers and libraries write them; all tools have different ones. */
const schemas: readonly ((index: number) => Schema)[] = [
  (index) => ({
    type: "object",
    properties: {
      key: { type: "string", description: `Key in archive ${index}` },
      limit: { type: "integer", minimum: 1, maximum: 100, default: 10 },
    },
    required: ["key"],
    additionalProperties: false,
  }),
  (index) => ({
    $schema: "http://json-schema.org/draft-07/schema#",
    type: "object",
    properties: {
      key: { type: "string", description: `Path below folder ${index}` },
      tags: { type: "array", items: { type: "string" } },
      dryRun: { type: "boolean", default: false },
    },
    required: ["key"],
  }),
  (index) => ({
    type: "object",
    properties: {
      key: { type: "string", minLength: 1 },
      mode: { enum: ["fast", "safe"], description: `Mode ${index}` },
      options: { type: "object", properties: { depth: { type: "integer" } } },
    },
    required: ["key"],
  }),
];

/** As many tools as a registry takes by default, minus a few. */
export const manyTools = () =>
  Array.from({ length: 990 }, (_, index) =>
    tool({
      name: `tool_${index}`,
      description: `Looks up record ${index} of the archive`,
      input: schemas[index % schemas.length]!(index),
      run: () => index,
    }),
  );
