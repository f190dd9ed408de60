import { describe, expect, it } from "vitest";
import { testRegistration } from "../../../test/kit/test-registration.ts";
import type { JsonSchema } from "../../types/json.ts";
import { functionNames } from "./program-tools.ts";
import { toDeclarations } from "./to-declarations.ts";

const inputType = (input: JsonSchema): string => {
  const text = toDeclarations(functionNames([testRegistration("f", { input, description: "" })]));
  return text.match(/f\(input\??: (.*)\): Promise<unknown>;/)?.[1] ?? text;
};

const field = (schema: JsonSchema, more: object = {}): JsonSchema => ({
  type: "object",
  properties: { x: schema },
  required: ["x"],
  ...more,
});

describe("declarations of tools", () => {
  it.each([
    [{ type: "string" }, "string"],
    [{ type: "integer" }, "number"],
    [{ type: ["string", "null"] }, "string | null"],
    [{ enum: ["a", 1, null] }, '"a" | 1 | null'],
    [{ const: "only" }, '"only"'],
    [{ type: "array", items: { type: "number" } }, "number[]"],
    [{ type: "array", items: { enum: [1, 2] } }, "(1 | 2)[]"],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
    [{ anyOf: [{ type: "string" }, { type: "number" }] }, "string | number"],
    [{ type: "object", additionalProperties: { type: "number" } }, "Record<string, number>"],
    [{ type: "object", properties: { "a-b": { type: "boolean" } } }, '{ "a-b"?: boolean }'],
    [{ $ref: "https://elsewhere/schema" }, "unknown"],
    [{}, "unknown"],
  ])("render %j as %s", (schema, type) => {
    expect(inputType(field(schema))).toBe(`{ x: ${type} }`);
  });

  it("follow references within the schema and stop at a recursive one", () => {
    const tree = field(
      { $ref: "#/$defs/node" },
      { $defs: { node: { type: "object", properties: { next: { $ref: "#/$defs/node" } } } } },
    );
    expect(inputType(tree)).toMatch(/^{ x: { next\?: { next\?: .*unknown/);
  });

  it("escape the end of a comment in a description", () => {
    const text = toDeclarations(
      functionNames([testRegistration("f", { description: "a */ evil() /*\n b" })]),
    );
    expect(text).toContain("/** a * / evil() /* b */");
    expect(text.match(/\*\//g)).toHaveLength(1);
  });

  it("nest by namespace and use valid identifiers", () => {
    const all = ["crm/contacts/find-one", "crm/contacts", "double", "2fast", "a-b", "a_b"];
    const names = functionNames(all.map((key) => testRegistration(key)));
    expect([...names].map(([path, { key }]) => `${key} → ${path}`)).toEqual([
      "2fast → _2fast",
      "a-b → a_b",
      "a_b → a_b_2",
      "crm/contacts → crm.contacts_",
      "crm/contacts/find-one → crm.contacts.find_one",
      "double → double",
    ]);
    expect(toDeclarations(names)).toMatch(/ {2}crm: {\n {4}.*\n {4}contacts_\(/);
  });
});
