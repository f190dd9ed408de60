import { type Config, Haft, type JsonSchema, type Reply, ToolError, tool } from "haft";
import { describe, expect, it } from "vitest";
import { compileSchema } from "../src/base/schema/compile-schema.ts";
import { expectToFinish } from "./kit/expect-to-finish.ts";

const principal = { agent: "tester", allow: ["*"] };
const any = { type: "object" } as const;

/** A tool that records every input its code received. */
const witness = (input: JsonSchema = any) => {
  const ran: unknown[] = [];
  const made = tool({
    name: "witness",
    description: "Writes down what reaches it",
    input: input as typeof any,
    run: (given) => {
      ran.push(given);
      return "ran";
    },
  });
  return { tool: made, ran };
};

interface Answer {
  readonly reply: Reply;
  readonly ran: readonly unknown[];
}

/** Sends one argument text from a model through the public API. */
const say = async (text: string, schema?: JsonSchema): Promise<Answer> => {
  const { tool: made, ran } = witness(schema);
  const haft = await Haft.open({ tools: [made], principal });
  const [reply] = await haft.turn([{ id: "1", tool: "witness", input: text }]);
  return { reply: reply as Reply, ran };
};

/** Passes one value from a caller in this process. */
const hand = async (value: unknown, schema?: JsonSchema) => {
  const { tool: made, ran } = witness(schema);
  const haft = await Haft.open({ tools: [made], principal });
  const error = await haft
    .call("witness", value as Record<string, unknown>)
    .then(() => undefined, toToolError);
  return { error, ran };
};

const toToolError = (thrown: unknown): ToolError => {
  expect(ToolError.is(thrown)).toBe(true);
  return thrown as ToolError;
};

/** The error that defining a tool with this schema, or under this name, throws. */
const refusal = (make: () => unknown): ToolError => {
  try {
    make();
  } catch (error) {
    return toToolError(error);
  }
  throw new Error("it was accepted");
};

const defined = (input: unknown) => () =>
  tool({ name: "bomb", description: "Has a schema that costs", input: input as typeof any, run: () => 1 });

const unpolluted = () => {
  expect(({} as { polluted?: unknown }).polluted).toBeUndefined();
  expect(Object.prototype).not.toHaveProperty("polluted");
};

describe("prototype pollution", () => {
  const texts = [
    '{"__proto__":{"polluted":1}}',
    '{"\\u005f\\u005fproto\\u005f\\u005f":{"polluted":1}}',
    '{"constructor":{"prototype":{"polluted":1}}}',
    '{"list":[{"deep":{"__proto__":{"polluted":1}}}]}',
  ];

  it.each(texts)("refuses %s from a model before the tool runs", async (text) => {
    const { reply, ran } = await say(text);
    expect(reply).toMatchObject({ ok: false, failure: { code: "unreadable_input" } });
    expect(ran).toEqual([]);
    unpolluted();
  });

  it.each(texts)("refuses the value of %s from a caller before the tool runs", async (text) => {
    const { error, ran } = await hand(JSON.parse(text));
    expect(error).toMatchObject({ _tag: "ToolHydrationError", code: "unreadable_input" });
    expect(ran).toEqual([]);
    unpolluted();
  });

  it("refuses a declared parameter named __proto__", () => {
    const parameters = JSON.parse('[{"name":"__proto__","type":"object","required":true}]');
    expect(refusal(defined(parameters)).code).toMatch(/^(refused_schema|invalid_definition)$/);
    unpolluted();
  });

  it("counts only own properties as required constructor or toString", async () => {
    for (const name of ["constructor", "toString", "hasOwnProperty"]) {
      const schema = { type: "object", required: [name] };
      for (const text of ["{}", '{"other":1}']) {
        const { reply, ran } = await say(text, schema);
        expect(reply.failure).toMatchObject({ code: "invalid_input" });
        expect(ran).toEqual([]);
      }
      expect((await say(JSON.stringify({ [name]: 1 }), schema)).ran).toHaveLength(1);
    }
  });

  it("does not accept constructor as a property of a closed object", async () => {
    const schema = { type: "object", properties: { a: {} }, additionalProperties: false };
    const { reply, ran } = await say('{"constructor":1}', schema);
    expect(reply.failure).toMatchObject({ code: "invalid_input" });
    expect(ran).toEqual([]);
  });
});

describe("patterns with exponential running time", () => {
  it.each(["^(a+)+$", "^(a|a)*$", "^(a|aa)+$", "^(.*a){12}$", "^([a-zA-Z]+)*$"])(
    "%s validates 100,000 characters in linear time or is refused at definition",
    async (pattern) => {
      const schema = { type: "object", properties: { text: { type: "string", pattern } } };
      const made = (() => {
        try {
          return witness(schema);
        } catch (error) {
          return toToolError(error);
        }
      })();
      if (ToolError.is(made)) {
        expect(made.code).toBe("refused_schema");
        return;
      }
      const haft = await Haft.open({ tools: [made.tool], principal });
      const text = `${"a".repeat(100_000)}!`;
      // A backtracking engine would practically never finish.
      expect(expectToFinish(() => compileSchema(schema)({ text })).ok).toBe(false);
      const [reply] = await haft.turn([{ id: "1", tool: "witness", input: JSON.stringify({ text }) }]);
      expect(reply?.failure).toMatchObject({ code: "invalid_input" });
      expect(made.ran).toEqual([]);
    },
  );

  it.each(["(?=a)b", "(a)\\1", "(?<!x)y"])("refuses %s, which needs backtracking", (pattern) => {
    const error = refusal(defined({ type: "object", properties: { a: { type: "string", pattern } } }));
    expect(error).toMatchObject({ _tag: "ToolDefinitionError", code: "refused_schema" });
  });
});

describe("values that are expensive to validate", () => {
  it("checks uniqueItems of objects without comparing every pair", async () => {
    const schema = { type: "object", properties: { all: { type: "array", uniqueItems: true } } };
    const all = Array.from({ length: 6_000 }, (_, id) => ({ id, name: "x" }));
    const many = Array.from({ length: 100_000 }, (_, id) => ({ id, name: "x" }));
    expect(expectToFinish(() => compileSchema(schema)({ all: many })).ok).toBe(true);
    expect((await say(JSON.stringify({ all }), schema)).ran).toHaveLength(1);
    const twice = await say(JSON.stringify({ all: [...all, all[0]] }), schema);
    expect(twice.reply.failure).toMatchObject({ code: "invalid_input" });
    expect(twice.ran).toEqual([]);
  });
});

describe("oversized and invalid results", () => {
  const answer = async (value: () => unknown, limits: Partial<Config["limits"]> = {}): Promise<Reply> => {
    const made = tool({ name: "big", description: "Answers with too much", input: any, run: value });
    const haft = await Haft.open({ tools: [made], principal, config: { limits } });
    const [reply] = await haft.turn([{ id: "1", tool: "big", input: "{}" }]);
    const [row] = await haft.log();
    expect(row).toMatchObject({ ending: reply?.ok ? "executed" : "failed" });
    return reply as Reply;
  };
  const deep = (levels: number): unknown => {
    let value: unknown = {};
    for (let level = 0; level < levels; level++) value = { a: value };
    return value;
  };
  const cyclic = (): unknown => {
    const value: Record<string, unknown> = {};
    value.self = value;
    return value;
  };

  it.each<[string, () => unknown]>([
    ["a text of two million characters", () => "x".repeat(2_000_000)],
    ["half a million characters of three bytes each", () => "☃".repeat(500_000)],
    ["100,000 levels", () => deep(100_000)],
    ["a cyclic value", cyclic],
    ["a number that JSON cannot represent", () => ({ id: 12345678901234567890n })],
    [
      "a getter that throws",
      () => ({
        get a(): never {
          throw new Error("no");
        },
      }),
    ],
  ])("withholds %s and says so to the model", async (_, value) => {
    const reply = await answer(value);
    expect(reply).toMatchObject({ ok: false, failure: { code: "invalid_output", ran: true } });
    expect(reply.text).toBe(
      'Error: The result of "big" was withheld because it does not match the tool\'s output schema.',
    );
  });

  it("counts the limit in bytes and accepts a result of exactly that size", async () => {
    expect((await answer(() => "x".repeat(98), { maxResultBytes: 100 })).ok).toBe(true);
    expect((await answer(() => "x".repeat(99), { maxResultBytes: 100 })).ok).toBe(false);
    expect((await answer(() => "é".repeat(50), { maxResultBytes: 100 })).ok).toBe(false);
  });
});

describe("numbers that would lose precision", () => {
  it.each(["12345678901234567890", "9007199254740993", "-9007199254740993", "1e400", "1e-400"])(
    "refuses %s instead of rounding it",
    async (number) => {
      const { reply, ran } = await say(`{"id":${number}}`);
      expect(reply.failure).toMatchObject({ code: "unreadable_input" });
      expect(reply.text).toContain("/id");
      expect(ran).toEqual([]);
    },
  );

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 10n])("refuses %s from a caller", async (id) => {
    const { error, ran } = await hand({ id });
    expect(error).toMatchObject({ code: "unreadable_input" });
    expect(ran).toEqual([]);
  });
});

describe("ambiguous arguments", () => {
  it.each([
    '{"to":"a","to":"b"}',
    '{"to":"a","t\\u006f":"b"}',
    '{"mail":{"to":"a","to":"b"}}',
    '{"to":"a"}{"to":"b"}',
    "{to:'a'}",
    '{"to":"a",}',
    '{"to":"a"',
    '["to"]trailing',
  ])("refuses %s before the tool runs", async (text) => {
    const { reply, ran } = await say(text);
    expect(reply.failure).toMatchObject({ code: "unreadable_input" });
    expect(ran).toEqual([]);
  });

  it("refuses arguments that are nested too deep or too long", async () => {
    for (const text of [`${'{"a":'.repeat(100_000)}1`, `{"a":"${"x".repeat(1_100_000)}"}`]) {
      const { reply, ran } = await say(text);
      expect(reply.failure).toMatchObject({ code: "unreadable_input" });
      expect(ran).toEqual([]);
    }
  });
});
