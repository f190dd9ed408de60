import { expect, test } from "vitest";
import { comprehensive } from "../../../../test/exports/comprehensive.ts";
import { specOf } from "../../../../test/exports/spec-of.ts";
import { toMcp } from "./to-mcp.ts";

const listed = [{ wireName: "acme__plan_trip", spec: comprehensive }];

test("exports input, output, title and annotations", () => {
  expect(toMcp(listed).tools).toStrictEqual([
    {
      name: "acme__plan_trip",
      title: "Plan a trip",
      description: "Plans a trip and books what it needs",
      inputSchema: {
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
      outputSchema: {
        type: "object",
        properties: { price: { type: "number", minimum: 0 } },
        required: ["price"],
      },
      annotations: { readOnlyHint: false, destructiveHint: true, idempotentHint: false, openWorldHint: true },
    },
  ]);
});

test("reports what the format omits or changes", () => {
  const lines = toMcp(listed).report.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  expect(lines).toStrictEqual([]);
});

test("omits an output schema that is not an object schema and reports it", () => {
  const spec = specOf({ type: "object", properties: {} }, { output: { type: "string" } });
  const { tools, report } = toMcp([{ wireName: "a", spec }]);
  expect(tools[0]).not.toHaveProperty("outputSchema");
  expect(report).toMatchObject([{ pointer: "/output", keyword: "output" }]);
});

test("sets no annotations for a tool without declared effects", () => {
  const [tool] = toMcp([{ wireName: "a", spec: specOf({ type: "object", properties: {} }) }]).tools;
  expect(tool).not.toHaveProperty("annotations");
});
