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

  test("is frozen to the leaf and leaves an open spec open and untouched", () => {
    const spec = structuredClone(comprehensive);
    const { tools, report } = formats[format]([{ wireName: "probe", spec }]);
    expect(isFrozenToTheLeaf(tools)).toBe(true);
    expect(isFrozenToTheLeaf(report)).toBe(true);
    expect(spec).toStrictEqual(comprehensive);
    expect(Object.isFrozen(spec.input.properties)).toBe(false);
  });

  test("gives the same for a frozen spec and an open one", () => {
    const open = formats[format]([{ wireName: "probe", spec: structuredClone(strictComprehensive) }]);
    expect(formats[format]([{ wireName: "probe", spec: strictComprehensive }])).toStrictEqual(open);
  });

  test("spells a tool without any schema as one that takes an object", () => {
    expect(exported({}).input).toStrictEqual({ type: "object", properties: {} });
    expect(exported({}).report).toStrictEqual([]);
  });

  test("spells boolean properties as objects that mean the same", () => {
    const input = { type: "object", properties: { any: true, none: false } };
    expect(exported(input).input.properties).toMatchObject({ any: {}, none: { not: {} } });
  });

  test("carries a property that is called __proto__ as a property", () => {
    const properties = JSON.parse('{"__proto__":{"type":"array"},"a":{"$ref":"#/$defs/a"}}');
    const { input } = exported({ type: "object", properties, $defs: { a: { type: "string" } } });
    const kept = input.properties as object;
    expect(Object.getPrototypeOf(kept)).toBe(Object.prototype);
    expect(Object.hasOwn(kept, "__proto__")).toBe(true);
  });

  test("has no tools for an empty list", () => {
    expect(formats[format]([])).toStrictEqual({ tools: [], report: [] });
  });
});

test("the table names six formats", () => {
  expect(all).toStrictEqual(["openai", "openai-responses", "anthropic", "ollama", "gemini", "mcp"]);
});
