import { describe, expect, it } from "vitest";
import type { JsonObject } from "../../base/json/json-value.ts";
import { Haft } from "../../runtime/haft.ts";
import { fromOpenApi, type OpenApiOptions } from "./from-openapi.ts";

const good = { "/good": { get: { operationId: "good" } } };

const posting = (schema: unknown, type = "application/json"): JsonObject => ({
  post: { operationId: "bad", requestBody: { required: true, content: { [type]: { schema } } } },
});

const documentOf = (paths: JsonObject, more: JsonObject = {}): JsonObject => ({
  openapi: "3.1.0",
  servers: [{ url: "https://api.example" }],
  paths: { ...good, ...paths },
  ...more,
});

/** Opens a runtime with all tools, searches them and makes an offer. */
const looked = async (document: unknown, options: OpenApiOptions = {}) => {
  const { tools, losses } = await fromOpenApi(document, options);
  const haft = await Haft.open({ tools: [...tools], principal: { agent: "tester", allow: ["*"] } });
  try {
    const found = await haft.search("good");
    const offer = await haft.offer({});
    return { tools, losses, found, offer, whats: losses.map(({ what }) => what).join("\n") };
  } finally {
    await haft.close();
  }
};

const takes = async (schema: unknown, value: unknown, type?: string) => {
  const { tools } = await fromOpenApi(documentOf({ "/x": posting(schema, type) }));
  return tools.find(({ spec }) => spec.name === "bad")!.input({ body: value }).ok;
};

const cycle: Record<string, unknown> = {};
cycle.self = cycle;
const list: Record<string, unknown> = { type: "array" };
list.items = list;

describe("schema that cannot be expanded", () => {
  it.each([
    ["repeated composition of itself", { $ref: "#/components/schemas/A" }, "application/json"],
    ["repeated composition of itself as a form", { $ref: "#/components/schemas/A" }, "multipart/form-data"],
    ["a list of itself as a file", { type: "object", properties: { f: list } }, "multipart/form-data"],
    ["a cyclic enum value", { enum: [cycle] }, "application/json"],
    ["a cyclic const value", { const: cycle }, "application/json"],
    ["cyclic default and example values", { default: cycle, example: cycle }, "application/json"],
    ["a cyclic type", { type: cycle, format: cycle, pattern: cycle }, "application/json"],
    [
      "a const of three thousand lists",
      { const: JSON.parse("[".repeat(3_000) + "]".repeat(3_000)) },
      "application/json",
    ],
  ])("does not affect other operations: %s", async (_, schema, type) => {
    const self = Array.from({ length: 40 }, () => ({ $ref: "#/components/schemas/A" }));
    const { tools, found, offer } = await looked(
      documentOf(
        { "/x": posting(schema, type) },
        {
          components: {
            schemas: { A: { type: "object", allOf: self, properties: { a: { type: "string" } } } },
          },
        },
      ),
    );
    expect(tools.map(({ spec }) => spec.name)).toEqual(["good", "bad"]);
    expect(JSON.stringify(found)).toContain("good");
    expect(JSON.stringify(offer)).toContain("good");
  });

  it("is reported when a part of it is omitted", async () => {
    const { whats } = await looked(documentOf({ "/x": posting({ enum: [cycle], const: cycle }) }));
    expect(whats).toContain("its values are omitted");
    expect(whats).toContain("Its const is not JSON or too large");
  });

  it("is measured before it is written, so doubling aliases cost no more than their text", async () => {
    const lines = ['openapi: "3.1.0"', 'servers: [{url: "https://api.example"}]', "x-0: &a0 [ha, ha]"];
    for (let level = 1; level <= 30; level++)
      lines.push(`x-${level}: &a${level} [${Array.from({ length: 10 }, () => `*a${level - 1}`).join(",")}]`);
    lines.push("paths:", "  /good: {get: {operationId: good}}");
    lines.push(
      "  /x: {get: {operationId: bad, parameters: [{name: q, in: query, style: *a30, example: *a30,",
    );
    lines.push("    schema: {enum: [*a30], const: *a30, default: *a30, examples: [*a30]}}]}}");
    const { tools, whats } = await looked(lines.join("\n"));
    expect(tools).toHaveLength(2);
    expect(whats).toContain("too large");
  });

  it("is processed once per part when all parts refer to each other", async () => {
    const names = Array.from({ length: 60 }, (_, index) => `S${index}`);
    const all = names.map((name) => ({ $ref: `#/components/schemas/${name}` }));
    const schemas = Object.fromEntries(
      names.map((name) => [name, { allOf: all, properties: { [name]: { type: "string", readOnly: true } } }]),
    );
    const { tools } = await looked(documentOf({ "/x": posting(all[0]) }, { components: { schemas } }));
    expect(tools).toHaveLength(2);
  });
});

describe("readOnly properties", () => {
  const user = {
    type: "object",
    properties: { name: { type: "string" }, role: { type: "string", readOnly: true } },
    required: ["name", "role"],
  };
  const json = "application/json";
  const form = "application/x-www-form-urlencoded";

  it.each([
    [json, user],
    [form, user],
    ["multipart/form-data", user],
    [json, { allOf: [user, { properties: { role: {} } }] }],
    [json, { ...user, propertyNames: { maxLength: 9 } }],
    [json, { ...user, additionalProperties: false }],
  ])("are rejected in %s and not accepted as additional ones: %j", async (type, schema) => {
    expect(await takes(schema, { name: "a" }, type)).toBe(true);
    expect(await takes(schema, { name: "a", other: "b" }, type)).toBe(!("additionalProperties" in schema));
    expect(await takes(schema, { name: "a", role: "admin" }, type)).toBe(false);
    expect(await takes(schema, { name: "a", role: { any: 1 } }, type)).toBe(false);
  });
});

describe.each(["application/x-www-form-urlencoded", "multipart/form-data"])("form body %s", (type) => {
  const a = { type: "string" };
  const fields = { type: "object", properties: { a, b: a } };
  const file = { type: "string", format: "binary" };

  it.each([
    ["additionalProperties", { ...fields, additionalProperties: false }, { a: "x" }, { a: "x", c: "y" }],
    ["maxProperties", { ...fields, maxProperties: 1 }, { a: "x" }, { a: "x", b: "y" }],
    ["minProperties", { ...fields, minProperties: 1 }, { a: "x" }, {}],
    ["not", { ...fields, not: { required: ["c"] } }, { a: "x" }, { c: "x" }],
    ["dependentRequired", { ...fields, dependentRequired: { a: ["b"] } }, { a: "x", b: "y" }, { a: "x" }],
    ["propertyNames", { ...fields, propertyNames: { maxLength: 2 } }, { a: "x" }, { abc: "x" }],
    ["if", { ...fields, if: { required: ["a"] }, then: { required: ["b"] } }, { b: "x" }, { a: "x" }],
    ["parts of allOf", { allOf: [fields, { maxProperties: 1 }, { minProperties: 1 }] }, { a: "x" }, {}],
    ["closed subschemas", { allOf: [{ ...fields, additionalProperties: false }] }, { a: "x" }, { c: "x" }],
    [
      "a field in two subschemas",
      { allOf: [fields, { properties: { a: { maxLength: 1 } } }] },
      { a: "x" },
      { a: "xx" },
    ],
    ["keywords next to a reference", { $ref: "#/x-form", maxProperties: 1 }, { a: "x" }, { a: "x", b: "y" }],
    [
      "files in a closed form",
      { ...fields, properties: { a: file }, additionalProperties: false },
      { a: "QQ==" },
      { b: "x" },
    ],
  ])("enforces the schema with %s", async (_, schema, fine, wrong) => {
    const { tools, losses } = await fromOpenApi(
      documentOf({ "/x": posting(schema, type) }, { "x-form": fields }),
    );
    const { input } = tools.find(({ spec }) => spec.name === "bad")!;
    expect([input({ body: fine }).ok, input({ body: wrong }).ok]).toEqual([true, false]);
    expect(losses).toEqual([]);
  });
});

describe("malformed schema keyword", () => {
  it.each([
    ["not", { not: "x" }],
    ["exclusiveMinimum", { exclusiveMinimum: "much" }],
    ["items", { items: "string" }],
    ["dependentRequired", { dependentRequired: { a: "b" } }],
    ["additionalProperties", { additionalProperties: "no" }],
  ])("%s is reported", async (keyword, schema) => {
    const { losses } = await fromOpenApi(documentOf({ "/x": posting(schema) }));
    expect(losses.map(({ pointer }) => pointer.split("/").at(-1))).toEqual([keyword]);
  });

  it("is read when its meaning is clear", async () => {
    expect(await takes({ type: "object", properties: { a: { not: true } } }, { a: 1 })).toBe(false);
    expect(await takes({ type: "number", minimum: 5, exclusiveMinimum: "6" }, 5.5)).toBe(false);
  });
});
