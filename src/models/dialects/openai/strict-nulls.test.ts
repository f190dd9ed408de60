import { describe, expect, it } from "vitest";
import { tool } from "../../../tools/tool.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { strictNulls, withNulls } from "./strict-nulls.ts";

const specOf = (input: JsonSchema, strict = true) =>
  tool({ name: "find", description: "Finds", input, strict, run: () => "" }).spec;
const nullsOf = (input: JsonSchema) => strictNulls(specOf(input));
const text = { type: "string" };

describe("strictNulls", () => {
  it("lists optional properties but not required ones", () => {
    expect(nullsOf({ type: "object", properties: { a: text, b: text }, required: ["a"] })).toEqual(["/b"]);
  });

  it("omits an optional property that accepts null", () => {
    const b = { type: ["string", "null"] };
    expect(nullsOf({ type: "object", properties: { a: text, b }, required: ["a"] })).toEqual([]);
  });

  it("follows nested objects and lists, with a star for list items", () => {
    const inner = { type: "object", properties: { x: text, y: text }, required: ["x"] };
    const input = {
      type: "object",
      properties: { one: inner, many: { type: "array", items: inner } },
      required: ["one"],
    };
    expect([...nullsOf(input)].sort()).toEqual(["/many", "/many/*/y", "/one/y"]);
  });

  it("escapes names in pointers", () => {
    const input = { type: "object", properties: { "a/b": text, "c~d": text } };
    expect([...nullsOf(input)].sort()).toEqual(["/a~1b", "/c~0d"]);
  });

  it("omits a property that accepts null in another branch", () => {
    const one = {
      type: "object",
      properties: { kind: { const: "one" }, note: text, more: text },
      required: ["kind"],
    };
    const two = {
      type: "object",
      properties: { kind: { const: "two" }, note: { type: ["string", "null"] } },
      required: ["kind", "note"],
    };
    const input = { type: "object", properties: { part: { anyOf: [one, two] } }, required: ["part"] };
    expect(nullsOf(input)).toEqual(["/part/more"]);
  });

  it("follows a recursive schema to a limited depth", () => {
    const node = {
      type: "object",
      properties: { value: text, next: { $ref: "#/$defs/node" } },
      required: ["value"],
    };
    const found = nullsOf({
      type: "object",
      properties: { list: { $ref: "#/$defs/node" } },
      required: ["list"],
      $defs: { node },
    });
    expect(found).toContain("/list/next");
    expect(found).toContain("/list/next/next/next");
    expect(found.length).toBeLessThan(20);
  });

  it("returns nothing for a tool that is not strict", () => {
    const input = { type: "object", properties: { a: text } };
    expect(strictNulls(specOf(input, false))).toEqual([]);
    expect(nullsOf({ ...input, additionalProperties: text })).toEqual([]);
  });

  it("withNulls adds the list to calls with the wire name of the tool", () => {
    const spec = specOf({ type: "object", properties: { a: text } });
    const calls = [
      { id: "1", tool: "wire__find", input: "{}" },
      { id: "2", tool: "find", input: "{}" },
      { id: "3", tool: "wire__find", input: "{}", providerExecuted: true },
    ];
    expect(withNulls(calls, [{ wireName: "wire__find", spec }])).toEqual([
      { ...calls[0], nulls: ["/a"] },
      calls[1],
      calls[2],
    ]);
  });
});
