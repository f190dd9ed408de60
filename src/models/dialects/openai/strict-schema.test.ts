import { describe, expect, test } from "vitest";
import { strictComprehensive } from "../../../../test/exports/comprehensive.ts";
import { strictProblems } from "../../../../test/exports/strict-problems.ts";
import { strictSchema } from "./strict-schema.ts";

const object = (properties: object, more: object = {}) => ({
  type: "object",
  properties,
  additionalProperties: false,
  ...more,
});

const reasons = (input: object) =>
  strictSchema(input as never).losses.map(([pointer, keyword, note]) => `${pointer} ${keyword} ${note}`);

describe("strictSchema", () => {
  const lowered = strictSchema(strictComprehensive.input);

  test("requires every property, makes optional ones nullable and removes unsupported keywords", () => {
    expect(lowered.schema).toStrictEqual({
      title: "Trip",
      type: "object",
      properties: {
        city: { type: "string", description: "Where to (minLength: 1; maxLength: 80)" },
        unit: {
          type: ["string", "null"],
          enum: ["metric", "imperial", null],
          description: 'Units (default: "metric")',
        },
        nights: { type: ["integer", "null"], minimum: 1, maximum: 30, description: "(default: 2)" },
        budget: { type: ["number", "null"], exclusiveMinimum: 0, multipleOf: 0.5 },
        start: { type: ["string", "null"], format: "date" },
        link: { type: ["string", "null"], pattern: "^https://", description: '(format: "uri")' },
        mode: { anyOf: [{ type: "string", const: "fast" }, { type: "null" }] },
        tags: {
          description: "(uniqueItems: true)",
          anyOf: [
            { type: "array", items: { type: "string", description: "(minLength: 2)" }, minItems: 1 },
            { type: "null" },
          ],
        },
        home: {
          description: "Where from",
          anyOf: [
            {
              type: "object",
              properties: {
                street: { type: "string" },
                floor: { type: ["integer", "null"], description: "(default: 0)" },
              },
              required: ["street", "floor"],
              additionalProperties: false,
            },
            { type: "null" },
          ],
        },
        stops: {
          anyOf: [
            {
              type: "array",
              items: {
                type: "object",
                description: "A place",
                properties: {
                  street: { type: "string" },
                  floor: { type: ["integer", "null"], description: "(default: 0)" },
                },
                required: ["street", "floor"],
                additionalProperties: false,
              },
            },
            { type: "null" },
          ],
        },
        pay: {
          anyOf: [
            {
              type: "object",
              properties: { kind: { type: "string", const: "card" }, number: { type: "string" } },
              required: ["kind", "number"],
              additionalProperties: false,
            },
            {
              type: "object",
              properties: { kind: { type: "string", const: "cash" } },
              required: ["kind"],
              additionalProperties: false,
            },
          ],
        },
        note: { anyOf: [{ type: "string", description: "(maxLength: 200)" }, { type: "null" }] },
        "a/b~c": { type: ["boolean", "null"], title: "Odd name" },
      },
      required: [
        "city",
        "unit",
        "nights",
        "budget",
        "start",
        "link",
        "mode",
        "tags",
        "home",
        "stops",
        "pay",
        "note",
        "a/b~c",
      ],
      additionalProperties: false,
    });
    expect(strictProblems(lowered.schema!)).toStrictEqual([]);
  });

  test("reports every change", () => {
    expect(lowered.losses.map(([pointer, keyword]) => `${pointer} ${keyword}`)).toStrictEqual([
      "/input definitions",
      "/input/properties/home description",
      "/input $schema",
      "/input/properties/city minLength",
      "/input/properties/city maxLength",
      "/input/properties/city examples",
      "/input/properties/unit default",
      "/input/properties/unit required",
      "/input/properties/nights default",
      "/input/properties/nights required",
      "/input/properties/budget required",
      "/input/properties/start required",
      "/input/properties/link format",
      "/input/properties/link required",
      "/input/properties/mode required",
      "/input/properties/tags uniqueItems",
      "/input/properties/tags/items minLength",
      "/input/properties/tags required",
      "/input/properties/home/properties/floor default",
      "/input/properties/home/properties/floor required",
      "/input/properties/home required",
      "/input/properties/stops/items/properties/floor default",
      "/input/properties/stops/items/properties/floor required",
      "/input/properties/stops required",
      "/input/properties/pay oneOf",
      "/input/properties/note/anyOf/0 maxLength",
      "/input/properties/note required",
      "/input/properties/a~1b~0c required",
    ]);
  });

  test("lists properties whose null means absent, without those that accept null", () => {
    expect(lowered.nullable).toStrictEqual([
      "/input/properties/unit",
      "/input/properties/nights",
      "/input/properties/start",
      "/input/properties/link",
      "/input/properties/mode",
      "/input/properties/tags",
      "/input/properties/home/properties/floor",
      "/input/properties/home",
      "/input/properties/stops/items/properties/floor",
      "/input/properties/stops",
      "/input/properties/a~1b~0c",
    ]);
  });

  test("returns a frozen and cached schema", () => {
    expect(Object.isFrozen(lowered.schema!.properties)).toBe(true);
    expect(strictSchema(strictComprehensive.input)).toBe(lowered);
  });

  test("keeps a recursive reference under $defs", () => {
    const node = object(
      { name: { type: "string" }, next: { $ref: "#/definitions/node", description: "On" } },
      { required: ["name"] },
    );
    const { schema } = strictSchema(
      object({ head: { $ref: "#/definitions/node" } }, { required: ["head"], definitions: { node } }),
    );
    expect(schema).toStrictEqual({
      type: "object",
      properties: { head: { $ref: "#/$defs/node" } },
      additionalProperties: false,
      required: ["head"],
      $defs: {
        node: {
          type: "object",
          properties: {
            name: { type: "string" },
            next: { anyOf: [{ $ref: "#/$defs/node" }, { type: "null" }] },
          },
          additionalProperties: false,
          required: ["name", "next"],
        },
      },
    });
  });

  test("starts at the definition that the root refers to", () => {
    const input = {
      $ref: "#/definitions/Trip",
      definitions: { Trip: object({ city: { type: "string" } }, { required: ["city"] }) },
    };
    expect(strictSchema(input).schema).toStrictEqual(
      object({ city: { type: "string" } }, { required: ["city"] }),
    );
  });

  test("closes an open object and reports it", () => {
    const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
    expect(strictSchema(input).schema).toStrictEqual({ ...input, additionalProperties: false });
    expect(reasons(input)).toStrictEqual([
      "/input additionalProperties is false: only the named properties may be sent",
    ]);
  });

  test("moves a pattern with lookaround into the description", () => {
    const input = object(
      { code: { type: "string", pattern: "^(?!x)a", description: "Code" } },
      { required: ["code"] },
    );
    expect(strictSchema(input).schema!.properties).toStrictEqual({
      code: { type: "string", description: 'Code (pattern: "^(?!x)a")' },
    });
  });
});
