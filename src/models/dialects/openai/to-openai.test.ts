import { expect, test } from "vitest";
import { comprehensive, strictComprehensive } from "../../../../test/exports/comprehensive.ts";
import { specOf } from "../../../../test/exports/spec-of.ts";
import { toOpenAI } from "./to-openai.ts";

const listed = [{ wireName: "acme__plan_trip", spec: comprehensive }];

test("exports the whole tool", () => {
  expect(toOpenAI(listed).tools).toStrictEqual([
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
      },
    },
  ]);
});

test("reports what the format omits or changes", () => {
  const lines = toOpenAI(listed).report.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  expect(lines).toStrictEqual(["/output output"]);
});

test("marks a strict tool as strict and exports it unchanged when it cannot be strict", () => {
  const open = { type: "object", properties: { any: { type: "object", properties: {} } }, required: ["any"] };
  const [strict] = toOpenAI([{ wireName: "a", spec: strictComprehensive }]).tools;
  const loose = toOpenAI([{ wireName: "b", spec: specOf(open, { strict: true }) }]);
  expect(strict!.function.strict).toBe(true);
  expect(loose.tools[0]!.function).toStrictEqual({ name: "b", description: "A tool", parameters: open });
  expect(loose.report).toStrictEqual([
    {
      tool: "b",
      pointer: "/input/properties/any",
      keyword: "strict",
      note: "is not requested, because no properties are named",
    },
  ]);
});

test("adds empty items and properties where they are missing", () => {
  const input = { type: "object", properties: { list: { type: "array" }, map: { type: "object" } } };
  expect(toOpenAI([{ wireName: "a", spec: specOf(input) }]).tools[0]!.function.parameters).toStrictEqual({
    type: "object",
    properties: { list: { type: "array", items: {} }, map: { type: "object", properties: {} } },
  });
});

test("shortens a description at the given limit between characters and reports it", () => {
  const spec = specOf({ type: "object", properties: {} }, { description: `${"x".repeat(8)}😀 and more` });
  const list = [{ wireName: "a", spec }];
  const { tools, report } = toOpenAI(list, { descriptionLimit: 10 });
  expect(tools[0]!.function.description).toBe("xxxxxxxx…");
  expect(report).toStrictEqual([
    { tool: "a", pointer: "/description", keyword: "description", note: "is cut from 19 to 10 characters" },
  ]);
  expect(toOpenAI(list).tools[0]!.function.description).toBe(spec.description);
});
