import { expect, test } from "vitest";
import { comprehensive } from "../../../../test/exports/comprehensive.ts";
import { specOf } from "../../../../test/exports/spec-of.ts";
import { toAnthropic } from "./to-anthropic.ts";

const listed = [{ wireName: "acme__plan_trip", spec: comprehensive }];

test("Anthropic's spelling carries the whole schema but for a property name it refuses", () => {
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

test("the report names what the format leaves out or says otherwise", () => {
  const lines = toAnthropic(listed).report.map(({ pointer, keyword }) => `${pointer} ${keyword}`);
  expect(lines).toStrictEqual(["/output output", "/input/properties a/b~c"]);
});

test("a tool that requires a property whose name is refused is left out, so that the others can be sent", () => {
  const spec = specOf({ type: "object", properties: { $top: { type: "integer" } }, required: ["$top"] });
  const { tools, report } = toAnthropic([{ wireName: "a", spec }, ...listed]);
  expect(tools.map((tool) => tool.name)).toStrictEqual(["acme__plan_trip"]);
  expect(report[0]).toMatchObject({ tool: "a", pointer: "/input/properties", keyword: "$top" });
});

test("strictness is not asked for, and the report says so", () => {
  const spec = specOf({ type: "object", properties: {} }, { strict: true });
  const { tools, report } = toAnthropic([{ wireName: "a", spec }]);
  expect(tools[0]).not.toHaveProperty("strict");
  expect(report).toMatchObject([{ pointer: "/strict", keyword: "strict" }]);
});
