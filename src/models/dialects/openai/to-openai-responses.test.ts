import { expect, test } from "vitest";
import { comprehensive, strictComprehensive } from "../../../../test/exports/comprehensive.ts";
import { toOpenAIResponses } from "./to-openai-responses.ts";

const listed = [{ wireName: "acme__plan_trip", spec: comprehensive }];

test("exports the whole tool as non-strict", () => {
  expect(toOpenAIResponses(listed).tools).toStrictEqual([
    {
      type: "function",
      name: "acme__plan_trip",
      description: "Plans a trip and books what it needs",
      parameters: {
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
      strict: false,
    },
  ]);
});

test("reports what the format omits or changes", () => {
  const lines = toOpenAIResponses(listed).report.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  expect(lines).toStrictEqual(["/output output"]);
});

test("marks a strict tool as strict", () => {
  expect(toOpenAIResponses([{ wireName: "a", spec: strictComprehensive }]).tools[0]!.strict).toBe(true);
});
