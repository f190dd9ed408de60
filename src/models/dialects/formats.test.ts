import { describe, expect, test } from "vitest";
import { comprehensive, strictComprehensive } from "../../../test/exports/comprehensive.ts";
import { schemasOf } from "../../../test/exports/schemas-of.ts";
import { specOf } from "../../../test/exports/spec-of.ts";
import { type Format, formats } from "./formats.ts";

const all = Object.keys(formats) as Format[];

const isFrozenToTheLeaf = (value: unknown): boolean =>
  typeof value !== "object" ||
  value === null ||
  (Object.isFrozen(value) && Object.values(value).every(isFrozenToTheLeaf));

describe.each(all)("%s", (format) => {
  const exported = (input: object) => {
    const { tools, report } = formats[format]([{ wireName: "probe", spec: specOf(input as never) }]);
    return { ...schemasOf(tools[0]), tools, report };
  };

  test("returns deeply frozen tools and does not change a mutable spec", () => {
    const spec = structuredClone(comprehensive);
    const { tools, report } = formats[format]([{ wireName: "probe", spec }]);
    expect(isFrozenToTheLeaf(tools)).toBe(true);
    expect(isFrozenToTheLeaf(report)).toBe(true);
    expect(spec).toStrictEqual(comprehensive);
    expect(Object.isFrozen(spec.input.properties)).toBe(false);
  });

  test("returns the same for a frozen and a mutable spec", () => {
    const open = formats[format]([{ wireName: "probe", spec: structuredClone(strictComprehensive) }]);
    expect(formats[format]([{ wireName: "probe", spec: strictComprehensive }])).toStrictEqual(open);
  });

  test("exports a tool without a schema as one that takes an object", () => {
    expect(exported({}).input).toStrictEqual({ type: "object", properties: {} });
    expect(exported({}).report).toStrictEqual([]);
  });

  test("exports boolean property schemas as equivalent objects", () => {
    const input = { type: "object", properties: { any: true, none: false } };
    expect(exported(input).input.properties).toMatchObject({ any: {}, none: { not: {} } });
  });

  test("exports a property named __proto__ as a property", () => {
    const properties = JSON.parse('{"__proto__":{"type":"array"},"a":{"$ref":"#/$defs/a"}}');
    const { input } = exported({ type: "object", properties, $defs: { a: { type: "string" } } });
    const kept = input.properties as object;
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect(Object.hasOwn(kept, "__proto__")).toBe(true);
  });

  test("returns no tools for an empty list", () => {
    expect(formats[format]([])).toStrictEqual({ tools: [], report: [] });
  });
});

test("formats lists six formats", () => {
  expect(all).toStrictEqual(["openai", "openai-responses", "anthropic", "ollama", "gemini", "mcp"]);
});
