import { toFrozen } from "../../src/models/dialects/exporter.ts";
import type { ToolSpec } from "../../src/types/tool.ts";

/** One tool that uses every feature of a spec that a format could carry. */
export const comprehensive: ToolSpec = toFrozen({
  name: "plan_trip",
  description: "Plans a trip and books what it needs",
  input: {
    $schema: "http://json-schema.org/draft-07/schema#",
    title: "Trip",
    type: "object",
    properties: {
      city: { type: "string", description: "Where to", minLength: 1, maxLength: 80, examples: ["Oslo"] },
      unit: { type: "string", enum: ["metric", "imperial"], default: "metric", description: "Units" },
      nights: { type: "integer", minimum: 1, maximum: 30, default: 2 },
      budget: { type: ["number", "null"], exclusiveMinimum: 0, multipleOf: 0.5 },
      start: { type: "string", format: "date" },
      link: { type: "string", format: "uri", pattern: "^https://" },
      mode: { const: "fast" },
      tags: { type: "array", items: { type: "string", minLength: 2 }, minItems: 1, uniqueItems: true },
      home: { $ref: "#/definitions/address", description: "Where from" },
      stops: { type: "array", items: { $ref: "#/definitions/address" } },
      pay: {
        oneOf: [
          {
            type: "object",
            properties: { kind: { const: "card" }, number: { type: "string" } },
            required: ["kind", "number"],
            additionalProperties: false,
          },
          {
            type: "object",
            properties: { kind: { const: "cash" } },
            required: ["kind"],
            additionalProperties: false,
          },
        ],
      },
      note: { anyOf: [{ type: "string", maxLength: 200 }, { type: "null" }] },
      "a/b~c": { type: "boolean", title: "Odd name" },
    },
    required: ["city", "pay"],
    additionalProperties: false,
    definitions: {
      address: {
        type: "object",
        description: "A place",
        properties: { street: { type: "string" }, floor: { type: "integer", default: 0 } },
        required: ["street"],
        additionalProperties: false,
      },
    },
  },
  output: {
    type: "object",
    properties: { price: { type: "number", minimum: 0 } },
    required: ["price"],
  },
  category: "custom",
  risk: "high",
  timeoutMs: 5_000,
  requiresApproval: true,
  source: "function",
  tags: ["travel"],
  annotations: {
    title: "Plan a trip",
    readOnly: false,
    destructive: true,
    idempotent: false,
    openWorld: true,
  },
  validate: "strict",
  strict: false,
});

export const strictComprehensive: ToolSpec = toFrozen({ ...comprehensive, strict: true });
