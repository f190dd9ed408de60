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

/** Says how often it was asked to compile, and with what. */
const watched = (check: ValueCheck, when?: "definition" | "hydration") => {
  const schemas: JsonSchema[] = [];
  const compile = (schema: JsonSchema): ValueCheck => {
    schemas.push(schema);
    return check;
  };
  return { schemas, compiler: { compile, ...(when === undefined ? {} : { when }) } };
};

describe("a validator of another library", () => {
  it("judges in the place of the built-in one, and is named with its version", () => {
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

  it("compiles at definition unless it says otherwise, and once", () => {
    const { schemas, compiler } = watched(() => true);
    const validate = validatorOf(compiler);
    expect(schemas).toHaveLength(1);
    validate({});
    validate({});
    expect(schemas).toHaveLength(1);
    expect(validate.compiledAt).toBe("definition");
    expect(validate.engine).toBe("custom");
  });

  it("compiles at the first call when it is to be lazy, and once", () => {
    const { schemas, compiler } = watched(() => true, "hydration");
    const validate = validatorOf(compiler);
    expect(validate.compiledAt).toBe("hydration");
    expect(schemas).toHaveLength(0);
    validate({});
    validate({});
    expect(schemas).toHaveLength(1);
  });

  it("gets a copy of the normalized schema, which it may change", () => {
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

  it("is followed by the author's own schema library, which transforms for the code alone", () => {
    const validate = validatorOf(ajv, z.object({ city: z.string().transform((city) => city.toUpperCase()) }));
    const transformed = { value: { city: "OSLO" } };
    expect(validate({ city: "Oslo" })).toEqual({ ok: true, value: { city: "Oslo" }, transformed });
    expect(validate({ city: 1 })).toMatchObject({ ok: false, issues: [{ pointer: "/city" }] });
    expect(validate.engine).toBe("ajv 8 + zod");
  });

  it("may answer with a whole verdict", () => {
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
    ["nothing", undefined, "answered with undefined"],
    ["a truthy value", 1, "answered with number"],
    ["a promise", () => Promise.reject(new Error("late")), "answered with a promise"],
    ["an object that is no verdict", { valid: true }, "answered with object"],
    ["no with reasons that are none", { ok: false, issues: [null] }, "threw"],
    ["no without reasons", { ok: false, issues: [] }, "does not fit the schema"],
    ["a plain no", false, "does not fit the schema"],
  ])("lets nothing pass that answers with %s", (_, answer, why) => {
    const verdict = validatorOf({
      compile: () => () => (typeof answer === "function" ? answer() : answer) as boolean,
    })({ city: "Oslo" });
    expect(verdict).toMatchObject({ ok: false, issues: [{ message: expect.stringContaining(why) }] });
  });

  it("lets nothing pass when it throws", () => {
    const check = (): boolean => {
      throw new Error("boom");
    };
    expect(validatorOf({ compile: () => check })({})).toMatchObject({
      ok: false,
      issues: [{ pointer: "", message: "the value cannot be judged: the validator threw: boom" }],
    });
  });

  it.each([
    ["throws", "no such keyword"],
    ["answers with a promise", "a promise, not with a function"],
  ])("refuses the tool when its compiler %s at definition", (how, why) => {
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

  it("lets every call fail, and asks no second time, when its compiler throws at the first", () => {
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
            'the value cannot be judged: the validator "odd" cannot compile the input schema: no such keyword',
        },
      ],
    };
    expect([validate({}), validate({})]).toEqual([failure, failure]);
    expect(asked).toBe(1);
  });
});

describe("the validator of a definition", () => {
  const definition = { name: "weather", description: "Weather", run: () => 1 };

  it.each([
    [{ validator: () => true }, "must be an object with `compile"],
    [{ validator: {} }, "must be an object with `compile"],
    [{ validator: { compile: "ajv" } }, '`validator.compile` that is "ajv"; it must be a function'],
    [{ validator: { compile: () => () => true, when: "later" } }, "`validator.when`"],
    [{ validator: { compile: () => () => true, lazy: true } }, "`validator.lazy`, which means nothing here"],
  ])("is refused when it is none: %j", (given, why) => {
    expect(() => tool({ ...definition, input, ...given } as never)).toThrow(why);
  });

  it("is refused where there is no schema to compile", () => {
    expect(() => tool({ ...definition, allowNoSchema: true, validator: ajv })).toThrow(
      "has a `validator`, and no input schema for it to compile",
    );
  });
});
