import { expect, test } from "vitest";
import { comprehensive } from "../../../../test/exports/comprehensive.ts";
import { specOf } from "../../../../test/exports/spec-of.ts";
import { toAnthropic } from "./to-anthropic.ts";

const listed = [{ wireName: "acme__plan_trip", spec: comprehensive }];

test("exports the whole schema except for an invalid property name", () => {
  expect(toAnthropic(listed).tools).toStrictEqual([
    {
      name: "acme__plan_trip",
      description: "Plans a trip and books what it needs",
      input_schema: {
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
  ]);
});

test("reports what the format omits or changes", () => {
  const lines = toAnthropic(listed).report.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  expect(lines).toStrictEqual(["/output output", "/input/properties a/b~c"]);
});

test("omits a tool whose required property has an invalid name", () => {
  const spec = specOf({ type: "object", properties: { $top: { type: "integer" } }, required: ["$top"] });
  const { tools, report } = toAnthropic([{ wireName: "a", spec }, ...listed]);
  expect(tools.map((tool) => tool.name)).toStrictEqual(["acme__plan_trip"]);
  expect(report[0]).toMatchObject({ tool: "a", pointer: "/input/properties", keyword: "$top" });
});

test("omits strict and reports it", () => {
  const spec = specOf({ type: "object", properties: {} }, { strict: true });
  const { tools, report } = toAnthropic([{ wireName: "a", spec }]);
  expect(tools[0]).not.toHaveProperty("strict");
  expect(report).toMatchObject([{ pointer: "/strict", keyword: "strict" }]);
});
