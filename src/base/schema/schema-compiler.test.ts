import { Ajv2020 } from "ajv/dist/2020.js";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tool } from "../../tools/tool.ts";
import { ToolDefinitionError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import type { SchemaCompiler, ValueCheck } from "./schema-compiler.ts";

const input = {
  type: "object",
  properties: { city: { type: "string" }, days: { type: "integer", default: 3 } },
  required: ["city"],
} as const;

const validatorOf = (validator: SchemaCompiler, source: object = input) =>
  tool({ name: "weather", description: "Weather", input: source as JsonSchema, validator, run: () => 1 })
    .input;

const ajv: SchemaCompiler = {
  name: "ajv",
  version: "8",
  compile: (schema) => new Ajv2020({ useDefaults: true, allErrors: true }).compile(schema),
};

/** Records every schema it is asked to compile. */
const watched = (check: ValueCheck, when?: "definition" | "hydration") => {
  const schemas: JsonSchema[] = [];
  const compile = (schema: JsonSchema): ValueCheck => {
    schemas.push(schema);
    return check;
  };
  return { schemas, compiler: { compile, ...(when === undefined ? {} : { when }) } };
};

describe("custom schema compiler", () => {
  it("replaces the built-in validator and reports its name and version", () => {
    const validate = validatorOf(ajv);
    expect(validate({ city: "Oslo" })).toEqual({ ok: true, value: { city: "Oslo", days: 3 } });
    expect(validate({ city: 1, days: "x" })).toEqual({
      ok: false,
      issues: [
        { pointer: "/city", message: "/city must be string" },
        { pointer: "/days", message: "/days must be integer" },
      ],
    });
    expect(validate({})).toMatchObject({
      issues: [{ pointer: "", message: "the value must have required property 'city'" }],
    });
    expect(validate.engine).toBe("ajv 8");
  });

  it("compiles once at definition by default", () => {
    const { schemas, compiler } = watched(() => true);
    const validate = validatorOf(compiler);
    expect(schemas).toHaveLength(1);
    validate({});
    validate({});
    expect(schemas).toHaveLength(1);
    expect(validate.compiledAt).toBe("definition");
    expect(validate.engine).toBe("custom");
  });

  it('compiles once at the first call when `when` is "hydration"', () => {
    const { schemas, compiler } = watched(() => true, "hydration");
    const validate = validatorOf(compiler);
    expect(validate.compiledAt).toBe("hydration");
    expect(schemas).toHaveLength(0);
    validate({});
    validate({});
    expect(schemas).toHaveLength(1);
  });

  it("receives its own copy of the normalized schema", () => {
    const { schemas, compiler } = watched(() => true);
    const subject = tool({
      name: "weather",
      description: "Weather",
      parameters: { city: { type: "string" }, required: ["city"] },
      validator: compiler,
      run: () => 1,
    });
    expect(schemas[0]).toEqual(subject.spec.input);
    Object.assign(schemas[0]!.properties as object, { city: false });
    expect(subject.spec.input).toMatchObject({ properties: { city: { type: "string" } } });
  });

  it("runs before the schema library of the author, which transforms values for the code only", () => {
    const validate = validatorOf(ajv, z.object({ city: z.string().transform((city) => city.toUpperCase()) }));
    const transformed = { value: { city: "OSLO" } };
    expect(validate({ city: "Oslo" })).toEqual({ ok: true, value: { city: "Oslo" }, transformed });
    expect(validate({ city: 1 })).toMatchObject({ ok: false, issues: [{ pointer: "/city" }] });
    expect(validate.engine).toBe("ajv 8 + zod");
  });

  it("may return a full verdict", () => {
    const verdict: ValueCheck = (value) =>
      value === "bad"
        ? { ok: false, issues: [{ pointer: "/x", message: "is bad", expected: "good" }] }
        : { ok: true, value: 7 };
    const validate = validatorOf({ compile: () => verdict });
    expect(validate("good")).toEqual({ ok: true, value: "good", transformed: { value: 7 } });
    expect(validate("bad")).toEqual({
      ok: false,
      issues: [{ pointer: "/x", message: "is bad", expected: "good" }],
    });
  });

  it.each([
    ["nothing", undefined, "returned undefined"],
    ["a truthy value", 1, "returned number"],
    ["a promise", () => Promise.reject(new Error("late")), "returned a promise"],
    ["an object that is not a verdict", { valid: true }, "returned object"],
    ["a rejection with invalid issues", { ok: false, issues: [null] }, "threw"],
    ["a rejection without issues", { ok: false, issues: [] }, "does not fit the schema"],
    ["false", false, "does not fit the schema"],
  ])("rejects the value when it returns %s", (_, answer, why) => {
    const verdict = validatorOf({
      compile: () => () => (typeof answer === "function" ? answer() : answer) as boolean,
    })({ city: "Oslo" });
    expect(verdict).toMatchObject({ ok: false, issues: [{ message: expect.stringContaining(why) }] });
  });

  it("rejects the value when it throws", () => {
    const check = (): boolean => {
      throw new Error("boom");
    };
    expect(validatorOf({ compile: () => check })({})).toMatchObject({
      ok: false,
      issues: [{ pointer: "", message: "the value cannot be checked: the validator threw: boom" }],
    });
  });

  it.each([
    ["throws", "no such keyword"],
    ["answers with a promise", "a promise, not a function"],
  ])("rejects the tool when its compiler %s at definition", (how, why) => {
    const compile = (): ValueCheck => {
      if (how === "throws") throw new Error("no such keyword");
      return Promise.reject(new Error("late")) as never;
    };
    expect(() => validatorOf({ name: "odd", compile })).toThrow(ToolDefinitionError);
    expect(() => validatorOf({ name: "odd", compile })).toThrow(
      /The tool "weather": the validator "odd" cannot compile the input schema/,
    );
    expect(() => validatorOf({ name: "odd", compile })).toThrow(why);
  });

  it("fails every call and is not retried when a lazy compiler throws", () => {
    let asked = 0;
    const compile = (): ValueCheck => {
      asked++;
      throw new Error("no such keyword");
    };
    const validate = validatorOf({ name: "odd", when: "hydration", compile });
    const failure = {
      ok: false,
      issues: [
        {
          pointer: "",
          message:
            'the value cannot be checked: the validator "odd" cannot compile the input schema: no such keyword',
        },
      ],
    };
    expect([validate({}), validate({})]).toEqual([failure, failure]);
    expect(asked).toBe(1);
  });
});

describe("validator option of a definition", () => {
  const definition = { name: "weather", description: "Weather", run: () => 1 };

  it.each([
    [{ validator: () => true }, "must be an object with `compile"],
    [{ validator: {} }, "must be an object with `compile"],
    [{ validator: { compile: "ajv" } }, '`validator.compile` that is "ajv"; it must be a function'],
    [{ validator: { compile: () => () => true, when: "later" } }, "`validator.when`"],
    [{ validator: { compile: () => () => true, lazy: true } }, "unknown field `validator.lazy`"],
  ])("is rejected when invalid: %j", (given, why) => {
    expect(() => tool({ ...definition, input, ...given } as never)).toThrow(why);
  });

  it("is rejected without a schema to compile", () => {
    expect(() => tool({ ...definition, allowNoSchema: true, validator: ajv })).toThrow(
      "has a `validator` but no input schema for it to compile",
    );
  });
});
