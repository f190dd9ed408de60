import { describe, expect, it } from "vitest";
import { compatiblePairs } from "../../test/kit/compatible-pairs.ts";
import { incompatiblePairs } from "../../test/kit/incompatible-pairs.ts";
import { Tool } from "../tools/decorator.ts";
import { readTools } from "../tools/gram/agent-file.ts";
import { signatureToSchema } from "../tools/gram/signature-to-schema.ts";
import { tool } from "../tools/tool.ts";
import type { JsonSchema } from "../types/json.ts";
import type { ToolSpec } from "../types/tool.ts";
import { type BindOptions, library } from "./library.ts";

const hello = (more: object = {}) =>
  tool({
    name: "sayHello",
    description: "Greets a person.",
    input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
    output: { type: "string" },
    run: ({ name }: { name: string }) => `Hello, ${name}!`,
    ...more,
  } as never);

const specOf = (more: Partial<ToolSpec> = {}): ToolSpec => Object.freeze({ ...hello().spec, ...more });

const bind = (spec: ToolSpec, entry: unknown, options?: BindOptions) =>
  library({ sayHello: entry as never }).bind(spec, options);

describe("tool library", () => {
  it("is immutable: register returns another library", () => {
    const empty = library();
    const one = empty.register(hello());
    const two = one.register("shout", (text: never) => text);
    expect([empty, one, two].map((each) => each.names())).toEqual([[], ["sayHello"], ["sayHello", "shout"]]);
    expect(Object.isFrozen(one)).toBe(true);
    expect(one.lookup("sayHello")).toBeDefined();
    expect(one.lookup("shout")).toBeUndefined();
    expect(one.lookup("toString")).toBeUndefined();
  });

  it("accepts tools, classes, implementations and functions and rejects other values", () => {
    const Greeter = Tool({ description: "Greets.", input: { type: "object" } })(
      class Greeter {
        run(): string {
          return "hello";
        }
      },
    );
    const made = library({
      a: hello(),
      b: Greeter,
      c: { _tag: "own", bind: () => async () => 1 },
      d: () => 1,
    });
    expect(made.names()).toEqual(["a", "b", "c", "d"]);
    expect(library([hello(), Greeter]).names()).toEqual(["sayHello", "Greeter"]);
    expect(() => library({ e: 5 as never })).toThrow(
      '"e" is neither a tool, an implementation nor a function',
    );
    expect(() => library([hello(), hello()])).toThrow('Two different entries are called "sayHello"');
    expect(() => library().register((() => 1) as never)).toThrow("needs a name");
  });

  it("replaces an entry of the same name", () => {
    const other = hello({ description: "Another." });
    expect(library([hello()]).register(other).lookup("sayHello")).toBe(other);
  });

  it("merges with another library and rejects or resolves conflicts as configured", () => {
    const [ours, theirs] = [hello(), hello()];
    const [one, other] = [library({ a: ours, b: ours }), library({ b: theirs, c: theirs })];
    expect(() => one.merge(other)).toThrow('Two different entries are called "b"');
    expect(one.merge(other, { onClash: "ours" }).lookup("b")).toBe(ours);
    expect(one.merge(other, { onClash: "theirs" }).lookup("b")).toBe(theirs);
    expect(one.merge(library({ b: ours })).names()).toEqual(["a", "b"]);
    expect(() => one.merge(other, { onClash: "both" as never })).toThrow(
      'must be "refuse", "ours" or "theirs"',
    );
  });
});

describe("bind", () => {
  it("returns the tool that the spec names", async () => {
    const bound = library([hello()]).bind(specOf());
    expect(bound).toMatchObject({
      ok: true,
      name: "sayHello",
      explanation: { mode: "compatible", ok: true },
    });
  });

  it("returns the same tool for the same frozen spec", () => {
    const [made, spec] = [library([hello()]), specOf()];
    expect(made.bind(spec)).toBe(made.bind(spec));
    expect(made.bind({ ...spec })).not.toBe(made.bind(spec));
  });

  it("suggests a similar name", () => {
    const failure = library([hello()]).bind(specOf({ name: "say_hello" }));
    expect(failure.ok ? "" : failure.message).toBe(
      [
        "say_hello: not bound (compatible)",
        "  FAILED  name",
        '          spec: "say_hello" | library: no entry of this name; similar: "sayHello"',
        "  -       description",
        "  -       input",
        "  -       output",
      ].join("\n"),
    );
  });

  it("reports every failed check with the differences", () => {
    const spec = specOf({
      description: "Says hello.",
      input: { type: "object", properties: { name: { type: ["string", "null"] } } },
      output: { type: "string", maxLength: 20 },
    });
    const failure = bind(spec, hello());
    expect(failure.ok ? "" : failure.message).toBe(
      [
        "sayHello: not bound (compatible)",
        "  ok      name",
        "  differs description",
        '          spec: "Says hello." | library: "Greets a person."',
        "  FAILED  input",
        "          /name spec: may be missing | library: must be there",
        "          /name spec: may be null | library: must be string",
        "  FAILED  output",
        "          spec: must be at most 20 characters long | library: may be of any length",
      ].join("\n"),
    );
  });

  it("bindAll binds all specs or none and reports each", () => {
    const made = library({ sayHello: hello(), ask: hello({ name: "ask" }) });
    const specs = [specOf(), specOf({ name: "ask", output: { type: "number" } }), specOf({ name: "gone" })];
    const result = made.bindAll(specs);
    expect(result.ok ? "" : result.message).toBe(
      [
        "2 of 3 tools cannot be bound.",
        "sayHello: bound",
        "ask: not bound (compatible)",
        "  ok      name",
        "  ok      description",
        "  ok      input",
        "  FAILED  output",
        "          spec: must be number | library: may be string",
        "gone: not bound (compatible)",
        "  FAILED  name",
        '          spec: "gone" | library: no entry of this name',
        "  -       description",
        "  -       input",
        "  -       output",
      ].join("\n"),
    );
    expect(result.ok ? [] : result.failures.map(({ name }) => name)).toEqual(["ask", "gone"]);
    const whole = made.bindAll([specOf()]);
    expect(whole.ok ? whole.tools.map(({ spec }) => spec.name) : []).toEqual(["sayHello"]);
  });

  it("rejects an unknown mode", () => {
    expect(() => bind(specOf(), hello(), { mode: "loose" as never })).toThrow("exact, compatible, name");
  });
});

describe("mode exact", () => {
  const exact = { mode: "exact" } as const;

  it("binds equal definitions in any key order", () => {
    const input = { required: ["name"], properties: { name: { type: "string" } }, type: "object" };
    expect(bind(specOf({ input }), hello(), exact).ok).toBe(true);
  });

  it.each([
    ["description", { description: "Else." }, '"Else." | library: "Greets a person."'],
    [
      "input",
      { input: { type: "object", properties: { name: { type: "string" } }, required: [] } },
      '/required/0 spec: (nothing) | library: "name"',
    ],
    ["output", { output: undefined }, 'spec: (nothing) | library: {"type":"string"}'],
  ])("rejects another %s", (check, more, line) => {
    const failure = bind(specOf(more as never), hello(), exact);
    expect(
      failure.explanation.checks.filter(({ status }) => status === "failed").map((each) => each.check),
    ).toEqual([check]);
    expect(failure.ok ? "" : failure.message).toContain(line);
  });

  it("compares the name of the tool", () => {
    const failure = bind(specOf(), hello({ name: "greet" }), exact);
    expect(failure.explanation.checks[0]).toMatchObject({ check: "name", status: "failed" });
    expect(bind(specOf(), hello({ name: "greet" })).explanation.checks[0]).toMatchObject({ status: "noted" });
  });

  it("rejects a bare function", () => {
    expect(bind(specOf(), () => "hello", exact).ok).toBe(false);
  });
});

describe("mode compatible", () => {
  /** Wraps the schema as a member, because a tool takes an object. */
  const around = (schema: JsonSchema | boolean): JsonSchema => {
    const { $defs, $schema, ...value } = typeof schema === "boolean" ? { allOf: [schema] } : schema;
    const reported = Object.entries({ $schema, $defs }).filter(([, each]) => each !== undefined);
    return {
      ...Object.fromEntries(reported),
      type: "object",
      properties: { value },
      required: ["value"],
      additionalProperties: false,
    };
  };
  const rooted = (schema: JsonSchema | boolean): boolean => !JSON.stringify(schema).includes('"$ref":"#"');
  const pairs = compatiblePairs.filter(([, narrow, wide]) => rooted(narrow) && rooted(wide));
  const output = (schema: JsonSchema | boolean): JsonSchema =>
    typeof schema === "boolean" || "not" in schema ? { allOf: [schema] } : schema;

  it("covers more than forty pairs", () => expect(pairs.length).toBeGreaterThan(40));

  it.each(pairs)("binds code that accepts more: %s", (_, narrow, wide) => {
    expect(bind(specOf({ input: around(narrow) }), hello({ input: around(wide) })).ok).toBe(true);
  });

  it.each(pairs)("binds code that returns less: %s", (_, narrow, wide) => {
    expect(bind(specOf({ output: output(wide) }), hello({ output: output(narrow) })).ok).toBe(true);
  });

  it.each(incompatiblePairs.slice(0, -1))("rejects code that accepts less: %s", (_, narrow, wide) => {
    expect(bind(specOf({ input: around(narrow) }), hello({ input: around(wide) })).ok).toBe(false);
  });

  it("uses defaults that the spec fills in", () => {
    const input = { type: "object", properties: { name: { type: "string", default: "world" } } };
    expect(bind(specOf({ input }), hello()).ok).toBe(true);
  });

  it("binds a tool without an output schema, notes it, and validates each result against the spec", () => {
    const mute = hello({ output: undefined });
    expect(bind(specOf({ output: undefined as never }), mute).ok).toBe(true);
    const bound = bind(specOf(), mute);
    expect(bound.explanation.checks.at(-1)).toEqual({
      check: "output",
      status: "noted",
      differences: [
        {
          pointer: "",
          spec: '{"type":"string"}',
          library: "has no output schema: each result is checked when it runs",
        },
      ],
    });
    expect(bound.ok && bound.tool.output?.("Hello").ok).toBe(true);
    expect(bound.ok && bound.tool.output?.(5).ok).toBe(false);
  });

  it("binds a tool with a schema from the signature and no output schema", () => {
    const signature = "(name: Text) --> IO Text";
    const description = "Returns a friendly greeting message for the given name";
    const block = `toolSpecification: sayHello\n  description: "${description}"\n  typeSignature: "${signature}"\n`;
    const reading = readTools(block);
    const [spec] = reading.ok ? reading.tools : [];
    const sayHello = tool({
      name: "sayHello",
      description,
      input: signatureToSchema(signature),
      run: ({ name }) => `Hello, ${name}! Nice to meet you.`,
    });
    const bound = library([sayHello]).bind(spec!);
    expect(bound.explanation.checks.map(({ check, status }) => `${check} ${status}`)).toEqual([
      "name passed",
      "description passed",
      "input passed",
      "output noted",
    ]);
    expect(bound.ok).toBe(true);
  });

  it("rejects a tool with another output schema", () => {
    expect(bind(specOf(), hello({ output: { type: "number" } })).ok).toBe(false);
    expect(bind(specOf(), hello({ output: undefined }), { mode: "exact" }).ok).toBe(false);
  });

  it("uses the spec for a bare function and notes what it does not declare", () => {
    const bound = bind(specOf(), () => "hello");
    expect(bound.ok).toBe(true);
    expect(bound.explanation.checks.map(({ check, status }) => `${check} ${status}`)).toEqual([
      "name passed",
      "description skipped",
      "input passed",
      "output noted",
    ]);
    expect(bound.ok && bound.tool.output?.(5).ok).toBe(false);
  });
});

describe("mode name", () => {
  it("binds any code of the name and skips all other checks", () => {
    const bound = bind(specOf({ output: { type: "number" } }), () => "hello", { mode: "name" });
    expect(bound.explanation.checks.map(({ check, status }) => `${check} ${status}`)).toEqual([
      "name passed",
      "description skipped",
      "input skipped",
      "output skipped",
    ]);
    expect(bound.ok).toBe(true);
  });
});
