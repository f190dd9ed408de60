import { type } from "arktype";
import * as Schema from "effect/Schema";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { readSchema, type SchemaSide } from "./read-schema.ts";
import { toValidator } from "./to-validator.ts";

const validator = (source: unknown, side: SchemaSide = "input") => toValidator(readSchema(source, side));

describe("input validation", () => {
  it.each([
    ["zod", z.object({ city: z.string(), days: z.number().default(3) })],
    ["valibot", v.object({ city: v.string(), days: v.optional(v.number(), 3) })],
    ["arktype", type({ city: "string", days: "number = 3" })],
    [
      "JSON Schema",
      { type: "object", properties: { city: { type: "string" }, days: { type: "number", default: 3 } } },
    ],
    [
      "a parameter list",
      [
        { name: "city", type: "string", required: true },
        { name: "days", type: "number", default: 3 },
      ],
    ],
  ])("fills in defaults: %s", (_, source) => {
    expect(validator(source)({ city: "Oslo" })).toEqual({ ok: true, value: { city: "Oslo", days: 3 } });
  });

  it.each([
    ["zod", z.object({ a: z.object({ b: z.string() }) }), "haft schema 1 + zod"],
    ["valibot", v.object({ a: v.object({ b: v.string() }) }), "haft schema 1 + valibot"],
    ["arktype", type({ a: { b: "string" } }), "haft schema 1 + arktype"],
    ["Effect", Schema.Struct({ a: Schema.Struct({ b: Schema.String }) }), "haft schema 1 + effect"],
  ])("reports the pointer of an issue and the engine: %s", (_, source, engine) => {
    const validate = validator(source);
    expect(validate({ a: { b: 1 } })).toMatchObject({ ok: false, issues: [{ pointer: "/a/b" }] });
    expect(validate.engine).toMatch(new RegExp(`${engine.replace("haft schema 1 + ", "")}$`));
  });

  it.each([
    ["zod", z.object({ a: z.object({ "b/c": z.string().refine((text) => text !== "x", "Not x") }) })],
    [
      "valibot",
      v.object({
        a: v.object({
          "b/c": v.pipe(
            v.string(),
            v.check((text) => text !== "x", "Not x"),
          ),
        }),
      }),
    ],
    [
      "arktype",
      type({ a: { "b/c": type("string").narrow((text, ctx) => text !== "x" || ctx.reject("not x")) } }),
    ],
    [
      "Effect",
      Schema.Struct({
        a: Schema.Struct({
          "b/c": Schema.String.check(Schema.makeFilter((text: string) => text !== "x" || "Not x")),
        }),
      }),
    ],
  ])("applies refinements of the schema library that JSON Schema cannot express: %s", (_, source) => {
    const validate = validator(source);
    expect(validate({ a: { "b/c": "y" } })).toEqual({ ok: true, value: { a: { "b/c": "y" } } });
    const refused = validate({ a: { "b/c": "x" } });
    expect(refused).toMatchObject({ ok: false, issues: [{ pointer: "/a/b~1c" }] });
    expect(JSON.stringify(refused)).toMatch(/not x/i);
  });

  it("returns the original value and the transformed value for the code", () => {
    const validate = validator(z.object({ n: z.string().transform(Number) }));
    expect(validate({ n: "4" })).toEqual({ ok: true, value: { n: "4" }, transformed: { value: { n: 4 } } });
  });

  it("returns one completed value when the schema library only added to it", () => {
    const validate = validator(
      z.object({ a: z.object({ b: z.number() }).transform((a) => ({ ...a, c: [1] })), d: z.string() }),
    );
    const value = { a: { b: 1, c: [1] }, d: "x" };
    expect(validate({ a: { b: 1 }, d: "x" })).toEqual({ ok: true, value });
  });

  it("fails with an explanation when the schema library is asynchronous or throws", async () => {
    const later = validator(z.object({ n: z.string().refine(async () => true) }));
    expect(JSON.stringify(later({ n: "4" }))).toContain("synchronous by design");
    const asynchronous = {
      "~standard": {
        version: 1,
        vendor: "acme",
        validate: async () => Promise.reject(new Error("lost")),
        jsonSchema: { input: () => ({ type: "object" }), output: () => ({ type: "object" }) },
      },
    };
    expect(validator(asynchronous)({})).toEqual({
      ok: false,
      issues: [
        {
          pointer: "",
          message: "The acme schema returned a promise, and validation is synchronous by design",
        },
      ],
    });
    await new Promise(setImmediate);
  });
});

describe("output validation", () => {
  it("uses only the schema library and returns its result", () => {
    const validate = validator(z.object({ n: z.string().transform(Number).pipe(z.number()) }), "output");
    expect(validate.engine).toBe("zod");
    expect(validate({ n: "4", secret: "dropped" })).toEqual({ ok: true, value: { n: 4 } });
    expect(validate({ n: 4 })).toMatchObject({ ok: false, issues: [{ pointer: "/n" }] });
  });

  it("uses the JSON Schema without a schema library and does not fill in defaults", () => {
    const validate = validator(
      { type: "object", properties: { n: { type: "number", default: 1 } } },
      "output",
    );
    const frozen = Object.freeze({});
    expect(validate(frozen)).toMatchObject({ ok: true });
    expect(validate({ n: "4" })).toMatchObject({ ok: false, issues: [{ pointer: "/n" }] });
  });
});
