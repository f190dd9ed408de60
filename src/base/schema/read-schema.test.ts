import { type } from "arktype";
import * as Schema from "effect/Schema";
import fc from "fast-check";
import * as v from "valibot";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolDefinitionError } from "../../types/errors.ts";
import { readSchema } from "./read-schema.ts";
import { toValidator } from "./to-validator.ts";

const refusal = (source: unknown, side: "input" | "output" = "input"): ToolDefinitionError => {
  try {
    readSchema(source, side);
  } catch (error) {
    return error as ToolDefinitionError;
  }
  throw new Error("it was accepted");
};

const city = { type: "object", properties: { city: { type: "string" } }, required: ["city"] };
const closed = { ...city, additionalProperties: false };

describe("input schema", () => {
  it.each([
    ["zod", z.object({ city: z.string() }), city],
    ["strict zod", z.strictObject({ city: z.string() }), closed],
    ["valibot", v.object({ city: v.string() }), city],
    ["arktype", type({ city: "string" }), city],
    ["Effect", Schema.Struct({ city: Schema.String }), city],
    [
      "Effect through its converters",
      Schema.toStandardSchemaV1(Schema.toStandardJSONSchemaV1(Schema.Struct({ city: Schema.String }))),
      city,
    ],
    ["JSON Schema", city, city],
    [
      "JSON Schema that names the dialect",
      { $schema: "https://json-schema.org/draft/2020-12/schema", ...city },
      city,
    ],
    ["a parameter list", [{ name: "city", type: "string", required: true }], closed],
    ["bare properties", { city: { type: "string" }, required: ["city"] }, closed],
    ["no parameters", [], { type: "object", properties: {}, additionalProperties: false }],
  ])("can be written as %s", (_, source, expected) => {
    expect(readSchema(source, "input").schema).toEqual(expected);
  });

  it("keeps the validator of the schema library", () => {
    expect(readSchema(z.object({}), "input").standard?.vendor).toBe("zod");
    expect(readSchema(v.object({}), "input").standard?.vendor).toBe("valibot");
    expect(readSchema(type({}), "input").standard?.vendor).toBe("arktype");
    expect(readSchema(Schema.Struct({ a: Schema.String }), "input").standard?.vendor).toBe("effect");
    expect(readSchema(city, "input").standard).toBeUndefined();
  });

  it("keeps the name of an older dialect", () => {
    const source = { $schema: "http://json-schema.org/draft-07/schema#", ...city };
    expect(readSchema(source, "input").schema).toEqual(source);
  });

  it("is a frozen copy", () => {
    const source = structuredClone(city);
    const { schema } = readSchema(source, "input");
    source.properties.city.type = "number";
    expect(schema).toEqual(city);
    expect(Object.isFrozen(schema)).toBe(true);
    expect(Object.isFrozen((schema.properties as typeof source.properties).city)).toBe(true);
    expect(Object.isFrozen(source)).toBe(false);
  });

  it("maps zod email, datetime and int types without their patterns and bounds", () => {
    const { schema } = readSchema(
      z.object({ mail: z.email(), at: z.iso.datetime(), count: z.int() }),
      "input",
    );
    expect(schema.properties).toEqual({
      mail: { type: "string", format: "email" },
      at: { type: "string", format: "date-time" },
      count: { type: "integer" },
    });
  });

  it("requires an object at the root", () => {
    expect(refusal(z.string()).message).toContain('this one is of type "string". Wrap it in an object.');
    expect(refusal(z.union([z.object({ a: z.string() }), z.object({ b: z.string() })])).message).toContain(
      'this one is made of "anyOf"',
    );
    expect(refusal({ enum: ["a"] }).message).toContain("this one is without a type");
    expect(refusal(z.string()).code).toBe("refused_schema");
  });

  it.each([
    ["nothing", undefined, "is a undefined"],
    ["null", null, "is null"],
    ["a type's name", "string", "is a string"],
    ["a bare function", () => 1, "is a function"],
    ["a class instance", new Map(), "is a object"],
    ["values without types", { city: "string" }, 'is an object with the keys "city"'],
  ])("is rejected when it is %s, and the message lists the accepted forms", (_, source, message) => {
    const error = refusal(source);
    expect(error.code).toBe("invalid_definition");
    expect(error.message).toContain(`The input schema ${message}, which is not a schema.`);
    expect(error.message).toContain("Accepted are: a zod, valibot, arktype or Effect schema;");
  });

  it("is rejected when it contains values that are not JSON", () => {
    expect(refusal({ ...city, examples: [() => 1] }).code).toBe("refused_schema");
    expect(refusal(JSON.parse('{"type":"object","properties":{"__proto__":{"type":"string"}}}')).code).toBe(
      "refused_schema",
    );
    const loop: Record<string, unknown> = { type: "object" };
    loop.properties = { loop };
    expect(refusal(loop).code).toBe("refused_schema");
  });

  it("is rejected when the library cannot convert it to JSON Schema", () => {
    expect(refusal(z.object({ at: z.date() })).message).toBe(
      "zod cannot represent the input schema in JSON: Date cannot be represented in JSON Schema. A tool's input must be JSON; use types that JSON can represent.",
    );
    expect(refusal(Schema.Struct({ [Symbol.iterator]: Schema.String })).message).toContain(
      "Effect cannot represent the input schema in JSON: Objects property names must be strings",
    );
    const bare = { "~standard": { version: 1, vendor: "acme", validate: (value: unknown) => ({ value }) } };
    expect(refusal(bare).message).toContain('The input schema of "acme" has no Standard JSON Schema');
  });

  it.each([
    ["an empty object", {}],
    ["an empty Effect struct", Schema.Struct({})],
  ])("accepts %s for a tool without arguments", (_, source) => {
    const read = readSchema(source, "input");
    expect(read.schema).toMatchObject({ type: "object", properties: {} });
    expect(toValidator(read)({}).ok).toBe(true);
  });

  it("throws only definition errors for any value", () => {
    fc.assert(
      fc.property(
        fc.anything({ withBigInt: true, withNullPrototype: true, withSparseArray: true }),
        (source) => {
          for (const side of ["input", "output"] as const) {
            try {
              expect(Object.isFrozen(readSchema(source, side).schema)).toBe(true);
            } catch (error) {
              expect(error).toBeInstanceOf(ToolDefinitionError);
            }
          }
        },
      ),
    );
  });
});

describe("output schema", () => {
  it("may have any root type", () => {
    expect(readSchema(z.string(), "output").schema).toEqual({ type: "string" });
    expect(readSchema({ type: "array", items: { type: "number" } }, "output").schema).toEqual({
      type: "array",
      items: { type: "number" },
    });
  });

  it("describes the result of a transformation", () => {
    const schema = z.object({
      days: z.number().default(1),
      text: z.string().transform(Number).pipe(z.number()),
    });
    expect(readSchema(schema, "output").schema).toEqual({
      type: "object",
      properties: { days: { type: "number", default: 1 }, text: { type: "number" } },
      required: ["days", "text"],
      additionalProperties: false,
    });
  });
});
