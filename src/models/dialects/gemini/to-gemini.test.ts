import { expect, test } from "vitest";
import { comprehensive } from "../../../../test/exports/comprehensive.ts";
import { toGemini } from "./to-gemini.ts";

const listed = [{ wireName: "acme__plan_trip", spec: comprehensive }];

test("exports the whole schema with references inlined", () => {
  expect(toGemini(listed).tools).toStrictEqual([
    {
      functionDeclarations: [
        {
          name: "acme__plan_trip",
          description: "Plans a trip and books what it needs",
          parametersJsonSchema: {
            title: "Trip",
            type: "object",
            properties: {
              city: {
                type: "string",
                description: "Where to",
                minLength: 1,
                maxLength: 80,
                examples: ["Oslo"],
              },
              unit: { type: "string", enum: ["metric", "imperial"], default: "metric", description: "Units" },
              nights: { type: "integer", minimum: 1, maximum: 30, default: 2 },
              budget: { type: ["number", "null"], exclusiveMinimum: 0, multipleOf: 0.5 },
              start: { type: "string", format: "date" },
              link: { type: "string", format: "uri", pattern: "^https://" },
              mode: { const: "fast" },
              tags: {
                type: "array",
                items: { type: "string", minLength: 2 },
                minItems: 1,
                uniqueItems: true,
              },
              home: {
                type: "object",
                description: "Where from",
                properties: { street: { type: "string" }, floor: { type: "integer", default: 0 } },
                required: ["street"],
                additionalProperties: false,
              },
              stops: {
                type: "array",
                items: {
                  type: "object",
                  description: "A place",
                  properties: { street: { type: "string" }, floor: { type: "integer", default: 0 } },
                  required: ["street"],
                  additionalProperties: false,
                },
              },
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
          },
          responseJsonSchema: {
            type: "object",
            properties: { price: { type: "number", minimum: 0 } },
            required: ["price"],
          },
        },
      ],
    },
  ]);
});

test("reports what the format omits or changes", () => {
  const lines = toGemini(listed).report.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  expect(lines).toStrictEqual(["/input definitions", "/input/properties/home description", "/input $schema"]);
});
