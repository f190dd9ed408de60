import { afterEach, describe, expect, it, vi } from "vitest";
import { expectToFinish } from "../../../test/kit/expect-to-finish.ts";
import type { JsonSchema } from "../../types/json.ts";
import { compileSchema } from "./compile-schema.ts";
import * as engine from "./compiled/compile-plain.ts";

vi.mock(import("./compiled/compile-plain.ts"), async (original) => {
  const actual = await original();
  return { ...actual, compilePlain: vi.fn(actual.compilePlain) };
});

const compiled = vi.mocked(engine.compilePlain);
afterEach(() => compiled.mockClear());

const holds = (schema: JsonSchema | boolean, value: unknown): boolean => compileSchema(schema)(value).ok;

const filled = (schema: JsonSchema, value: unknown): unknown => {
  const answer = compileSchema(schema)(value);
  return answer.ok ? answer.value : answer.issues;
};

describe("compileSchema", () => {
  it("compiles on first use and once for equal schemas, whatever their key order", () => {
    const first = compileSchema({ type: "string", minLength: 777 });
    const second = compileSchema({ minLength: 777, type: "string" });
    expect(compiled).not.toHaveBeenCalled();
    first("a");
    second("a");
    first("b");
    expect(compiled).toHaveBeenCalledOnce();
  });

  it("compiles schemas separately when their format option differs", () => {
    const schema = { format: "ipv4", maxLength: 778 };
    expect(compileSchema(schema)("no").ok).toBe(true);
    expect(compileSchema(schema, { formats: "assert" })("no").ok).toBe(false);
  });

  it("rejects immediately what schema inspection rejects", () => {
    expect(() => compileSchema({ $ref: "https://a.example/" })).toThrow("references are not fetched");
  });

  it("returns a validator with the name and version of the engine", async () => {
    expect(compileSchema({}).engine).toBe("haft schema 1");
  });
});

describe("JSON Schema dialects", () => {
  const draft07 = "http://json-schema.org/draft-07/schema#";
  const draft2019 = "https://json-schema.org/draft/2019-09/schema";

  it("ignores keywords next to a reference in draft-07 and applies them later", () => {
    const schema = {
      properties: { a: { $ref: "#/definitions/a", maxLength: 1 } },
      definitions: { a: { type: "string" } },
    };
    expect(holds({ $schema: draft07, ...schema }, { a: "ab" })).toBe(true);
    expect(holds(schema, { a: "ab" })).toBe(false);
  });

  it("reads a list under items as a tuple before 2020-12", () => {
    const tuple = { items: [{ type: "string" }], additionalItems: { type: "number" } };
    for (const $schema of [draft07, draft2019]) {
      expect(holds({ $schema, ...tuple }, ["a", 1])).toBe(true);
      expect(holds({ $schema, ...tuple }, ["a", "b"])).toBe(false);
    }
  });

  it("applies a keyword only in dialects that define it", () => {
    expect(holds({ prefixItems: [false] }, [1])).toBe(false);
    expect(holds({ $schema: draft07, prefixItems: [false], dependentRequired: { a: ["b"] } }, [1])).toBe(
      true,
    );
    expect(holds({ $schema: "http://json-schema.org/draft-06/schema#", if: true, then: false }, 1)).toBe(
      true,
    );
    expect(
      holds({ $schema: draft07, dependencies: { a: ["b"], b: { required: ["c"] } } }, { a: 1, b: 1 }),
    ).toBe(false);
  });

  it("treats items matched by contains as evaluated in 2020-12 but not in 2019-09", () => {
    const schema = { contains: { type: "string" }, unevaluatedItems: false };
    expect(holds(schema, ["a"])).toBe(true);
    expect(holds({ $schema: draft2019, ...schema }, ["a"])).toBe(false);
  });

  it("reads a subschema with its own $schema in that dialect", () => {
    const part = { $schema: draft07, $id: "https://a.example/part", items: [{ type: "string" }] };
    expect(holds({ $ref: "https://a.example/part", $defs: { part } }, [1])).toBe(false);
  });

  it("resolves $dynamicRef to the outermost extension", () => {
    const tree = {
      $id: "https://a.example/tree",
      $dynamicAnchor: "node",
      type: "object",
      properties: { data: true, children: { type: "array", items: { $dynamicRef: "#node" } } },
    };
    const strict = {
      $id: "https://a.example/strict-tree",
      $dynamicAnchor: "node",
      $ref: "tree",
      unevaluatedProperties: false,
      $defs: { tree },
    };
    expect(holds(strict, { children: [{ data: 1 }] })).toBe(true);
    expect(holds(strict, { children: [{ daat: 1 }] })).toBe(false);
    expect(holds(tree, { children: [{ daat: 1 }] })).toBe(true);
  });

  it("resolves a reference to a document that was passed in", () => {
    const documents = { "https://a.example/city.json": { type: "string" } };
    const validate = compileSchema({ items: { $ref: "https://a.example/city.json" } }, { documents });
    expect(validate(["Oslo"]).ok).toBe(true);
    expect(validate([1]).ok).toBe(false);
  });

  it("includes the metaschemas", () => {
    const metaschema = { $ref: "https://json-schema.org/draft/2020-12/schema" };
    expect(holds(metaschema, { type: "object", properties: { a: { minLength: 1 } } })).toBe(true);
    expect(holds(metaschema, { properties: { a: { minLength: -1 } } })).toBe(false);
  });
});

describe("own properties", () => {
  it.each(["constructor", "toString", "__proto__", "hasOwnProperty"])(
    "does not find %s in an empty object",
    (key) => {
      expect(holds({ required: [key] }, {})).toBe(false);
      expect(holds({ dependentRequired: { [key]: ["a"] } }, {})).toBe(true);
      expect(holds({ properties: Object.fromEntries([[key, false]]) }, {})).toBe(true);
      expect(holds({ required: [key] }, JSON.parse(`{"${key}":1}`))).toBe(true);
    },
  );

  it("validates an object without a prototype like any other", () => {
    const value = Object.assign(Object.create(null), { a: 1 });
    expect(holds({ type: "object", const: { a: 1 }, required: ["a"] }, value)).toBe(true);
  });

  it("treats property names that equal keywords as names", () => {
    const schema = {
      properties: { $ref: { type: "string" }, $id: { type: "string" }, $defs: true, default: false },
      dependentSchemas: { $id: { required: ["$ref"] } },
      enum: [{ $ref: "a", $id: "https://a.example/#x" }, {}],
    };
    expect(holds(schema, { $ref: "a", $id: "https://a.example/#x" })).toBe(true);
    expect(holds(schema, { $ref: 1 })).toBe(false);
  });
});

describe("schema defaults", () => {
  it("are filled in at every level that always applies, and nowhere else", () => {
    const schema = {
      $ref: "#/$defs/base",
      allOf: [{ properties: { b: { default: 2 } } }],
      anyOf: [{ properties: { no: { default: 1 } } }],
      properties: {
        list: { items: { properties: { c: { default: "x" } } } },
        inner: { default: {}, properties: { d: { default: [1] } } },
      },
      $defs: { base: { properties: { a: { default: 1 } } } },
    };
    expect(filled(schema, { list: [{}, { c: "y" }] })).toEqual({
      a: 1,
      b: 2,
      list: [{ c: "x" }, { c: "y" }],
      inner: { d: [1] },
    });
  });

  it("are new objects for each validation", () => {
    const validate = compileSchema({ properties: { tags: { default: [] } } });
    const fill = () => validate({}) as { readonly value: { readonly tags: string[] } };
    fill().value.tags.push("x");
    expect(fill().value.tags).toEqual([]);
  });

  it("do not satisfy required", () => {
    expect(holds({ properties: { a: { default: 1 } }, required: ["a"] }, {})).toBe(false);
  });

  it("are left out when they break their own schema or the whole one", () => {
    expect(filled({ properties: { a: { type: "integer", default: "1" }, b: { default: 2 } } }, {})).toEqual({
      b: 2,
    });
    expect(filled({ properties: { a: { default: 1 } }, maxProperties: 1 }, { b: 1 })).toEqual({ b: 1 });
    expect(filled({ properties: { a: { default: 1 } } }, Object.freeze({}))).toEqual({});
  });

  it("are not filled into an invalid value", () => {
    const value = { b: "x" };
    expect(holds({ properties: { a: { default: 1 }, b: { type: "number" } } }, value)).toBe(false);
    expect(value).toEqual({ b: "x" });
  });
});

describe("schema formats", () => {
  it("are annotations unless they are asserted", () => {
    expect(holds({ format: "email" }, "nobody")).toBe(true);
    const validate = compileSchema({ format: "email" }, { formats: "assert" });
    expect(validate("nobody")).toEqual({
      ok: false,
      issues: [
        {
          pointer: "",
          message: 'the value must be a valid email, got string "nobody"',
          expected: "email",
          received: 'string "nobody"',
        },
      ],
    });
    expect(validate("a@b.example").ok).toBe(true);
    expect(validate(1).ok).toBe(true);
  });

  it("with unknown names assert nothing", () => {
    expect(compileSchema({ format: "shoe-size" }, { formats: "assert" })("x").ok).toBe(true);
  });

  it.each([
    ["url", "http://["],
    ["uri", "http://a."],
    ["email", "a@a-"],
    ["hostname", "a-"],
    ["duration", "P1"],
    ["date-time", "1"],
    ["uri-template", "{a,"],
  ])("checks %s for a million characters in linear time", (format, start) => {
    const validate = compileSchema({ format }, { formats: "assert" });
    const text = `${start}${"1:".repeat(500_000)}\n`;
    expect(expectToFinish(() => validate(text)).ok).toBe(false);
  });
});

describe("evaluation limits", () => {
  const tree = {
    $ref: "#/$defs/node",
    $defs: {
      node: {
        properties: { a: { allOf: [{ $ref: "#/$defs/node" }, { $ref: "#/$defs/node" }] } },
        type: "object",
      },
    },
  };
  const nested = (levels: number): unknown => {
    let value: unknown = {};
    for (let level = 0; level < levels; level++) value = { a: value };
    return value;
  };

  it("stops for a schema that doubles the work at every level of the value", () => {
    expect(holds(tree, nested(10))).toBe(true);
    expect(compileSchema(tree)(nested(60))).toEqual({
      ok: false,
      issues: [{ pointer: "", message: "the value cannot be checked: its nested parts need too many steps" }],
    });
  });

  it("rejects values that are too deep or not JSON without throwing", () => {
    let list: unknown[] = [];
    for (let level = 0; level < 100_000; level++) list = [list];
    expect(holds({ type: "array", items: { $ref: "#" } }, list)).toBe(false);
    const cycle: unknown[] = [];
    cycle.push(cycle, cycle);
    expect(holds({ uniqueItems: true }, cycle)).toBe(false);
    for (const value of [undefined, Number.NaN, Number.POSITIVE_INFINITY, 1n, () => 1, Symbol("x")]) {
      expect(holds({ type: ["string", "number", "integer", "object"] }, value)).toBe(false);
    }
  });
});
