import { expect, test } from "vitest";
import { comprehensive } from "../../../../test/exports/comprehensive.ts";
import { toOllama } from "./to-ollama.ts";

const listed = [{ wireName: "acme__plan_trip", spec: comprehensive }];

test("exports inlined references and describes keywords that the server ignores", () => {
  expect(toOllama(listed).tools).toStrictEqual([
    {
      type: "function",
      function: {
        name: "acme__plan_trip",
        description: "Plans a trip and books what it needs",
        parameters: {
          $schema: "http://json-schema.org/draft-07/schema#",
          title: "Trip",
          type: "object",
          properties: {
            city: {
              type: "string",
              description: "Where to (minLength: 1; maxLength: 80)",
              minLength: 1,
              maxLength: 80,
              examples: ["Oslo"],
            },
            unit: {
              type: "string",
              enum: ["metric", "imperial"],
              default: "metric",
              description: 'Units (default: "metric")',
            },
            nights: {
              type: "integer",
              minimum: 1,
              maximum: 30,
              default: 2,
              description: "(minimum: 1; maximum: 30; default: 2)",
            },
            budget: {
              type: ["number", "null"],
              exclusiveMinimum: 0,
              multipleOf: 0.5,
              description: "(exclusiveMinimum: 0; multipleOf: 0.5)",
            },
            start: { type: "string", format: "date", description: '(format: "date")' },
            link: {
              type: "string",
              format: "uri",
              pattern: "^https://",
              description: '(format: "uri"; pattern: "^https://")',
            },
            mode: { const: "fast", enum: ["fast"] },
            tags: {
              type: "array",
              items: { type: "string", minLength: 2 },
              minItems: 1,
              uniqueItems: true,
              description: "(minItems: 1; uniqueItems: true)",
            },
            home: {
              type: "object",
              description: "Where from",
              properties: {
                street: { type: "string" },
                floor: { type: "integer", default: 0, description: "(default: 0)" },
              },
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
              anyOf: [
                {
                  type: "object",
                  properties: { kind: { const: "card", enum: ["card"] }, number: { type: "string" } },
                  required: ["kind", "number"],
                  additionalProperties: false,
                },
                {
                  type: "object",
                  properties: { kind: { const: "cash", enum: ["cash"] } },
                  required: ["kind"],
                  additionalProperties: false,
                },
              ],
            },
            note: {
              anyOf: [{ type: "string", maxLength: 200, description: "(maxLength: 200)" }, { type: "null" }],
            },
            "a/b~c": { type: "boolean", title: "Odd name" },
          },
          required: ["city", "pay"],
          additionalProperties: false,
        },
      },
    },
  ]);
});

test("reports what the format omits or changes", () => {
  const lines = toOllama(listed).report.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  expect(lines).toStrictEqual([
    "/output output",
    "/input definitions",
    "/input/properties/home description",
    "/input $schema",
    "/input title",
    "/input additionalProperties",
    "/input/properties/city minLength",
    "/input/properties/city maxLength",
    "/input/properties/city examples",
    "/input/properties/unit default",
    "/input/properties/nights minimum",
    "/input/properties/nights maximum",
    "/input/properties/nights default",
    "/input/properties/budget exclusiveMinimum",
    "/input/properties/budget multipleOf",
    "/input/properties/start format",
    "/input/properties/link format",
    "/input/properties/link pattern",
    "/input/properties/tags minItems",
    "/input/properties/tags uniqueItems",
    "/input/properties/home additionalProperties",
    "/input/properties/home/properties/floor default",
    "/input/properties/pay oneOf",
    "/input/properties/pay/oneOf/0 additionalProperties",
    "/input/properties/pay/oneOf/1 additionalProperties",
    "/input/properties/note/anyOf/0 maxLength",
    "/input/properties/a~1b~0c title",
  ]);
});
