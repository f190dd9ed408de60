import { Haft, type JsonSchema, ToolDefinitionError, ToolError, tool, workspace } from "haft";
import { describe, expect, it } from "vitest";
import { expectToFinish } from "../kit/expect-to-finish.ts";

const principal = { agent: "tester", allow: ["*"] };
const any = { type: "object" } as const;

/** The error that defining a tool throws. */
const refusal = (make: () => unknown): ToolError => {
  try {
    make();
  } catch (error) {
    expect(ToolError.is(error)).toBe(true);
    return error as ToolError;
  }
  throw new Error("it was accepted");
};

const defined = (input: unknown) => () =>
  tool({ name: "bomb", description: "Has a schema that costs", input: input as typeof any, run: () => 1 });

describe("schema bombs", () => {
  const doubling = (): JsonSchema => {
    const $defs: Record<string, unknown> = { d60: { type: "string" } };
    for (let step = 0; step < 60; step++) {
      const $ref = `#/$defs/d${step + 1}`;
      $defs[`d${step}`] = { allOf: [{ $ref }, { $ref }] };
    }
    return { type: "object", properties: { a: { $ref: "#/$defs/d0" } }, $defs };
  };
  const nested = (): JsonSchema => {
    let schema: JsonSchema = { type: "string" };
    for (let level = 0; level < 2_000; level++) schema = { type: "object", properties: { a: schema } };
    return schema;
  };
  const listing = (): JsonSchema => ({
    type: "object",
    properties: { a: { enum: Array.from({ length: 100_000 }, (_, index) => index) } },
  });
  const wide = (): JsonSchema => ({
    type: "object",
    properties: Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`p${index}`, {}])),
  });

  it.each([
    ["60 references that double at every step", doubling],
    ["2,000 levels", nested],
    ["an enum of 100,000 values", listing],
    ["50,000 properties", wide],
  ])("refuses %s at definition without expanding them", (_, make) => {
    const schema = make();
    const error = expectToFinish(() => refusal(defined(schema)));
    expect(error).toBeInstanceOf(ToolDefinitionError);
    // Nesting is refused while the schema is read as JSON, before its complexity is measured.
    expect(error.code).toMatch(/^(schema_too_complex|refused_schema)$/);
  });

  it.each(["https://example.com/schema.json", "file:///etc/passwd"])("never fetches %s", ($ref) => {
    expect(refusal(defined({ type: "object", properties: { a: { $ref } } }))).toMatchObject({
      code: "refused_schema",
    });
  });
});

describe("lookalike names", () => {
  const named = (name: string) => () => tool({ name, description: "Named", input: any, run: () => 1 });

  it.each([
    ["a Cyrillic letter", "reаd_file"],
    ["a full-width letter", "ｒead_file"],
    ["an invisible character", "read\u200b_file"],
    ["a right-to-left mark", "read\u202e_file"],
    ["a slash", "fs/read"],
    ["a dot", "fs.read"],
    ["a space", "read file"],
    ["a line break", "read\nfile"],
    ["nothing", ""],
    ["65 characters", "a".repeat(65)],
    ["__proto__", "__proto__"],
    ["constructor", "constructor"],
    ["toString", "toString"],
    ["then", "then"],
  ])("refuses a name of %s", (_, name) => {
    expect(refusal(named(name))).toMatchObject({ _tag: "ToolDefinitionError", code: "refused_name" });
    expect(refusal(() => named("fine")().withName(name))).toMatchObject({ code: "refused_name" });
  });

  it.each([
    ["read_file", "read-file"],
    ["read_file", "Read_File"],
    ["list0", "listO"],
    ["fill", "fi1l"],
  ])("refuses %s and %s in one runtime", async (one, other) => {
    const tools = [named(one)(), named(other)()];
    await expect(Haft.open({ tools, principal })).rejects.toMatchObject({ code: "refused_name" });
  });

  it("refuses a namespaced tool next to a tool with its joined name", async () => {
    const project = workspace().toolbox("a").add(named("b")()).build();
    await expect(Haft.open({ tools: [named("a__b")()], project, principal })).rejects.toMatchObject({
      code: "refused_name",
    });
  });

  it("finds no tool for a call with a lookalike name", async () => {
    let ran = 0;
    const witness = tool({ name: "witness", description: "Counts", input: any, run: () => ++ran });
    const haft = await Haft.open({ tools: [witness], principal });
    for (const name of ["wіtness", "Witness", "witness\u200b", "__proto__", "constructor", "../witness"]) {
      const [reply] = await haft.turn([{ id: "1", tool: name, input: "{}" }]);
      expect(reply?.failure, name).toMatchObject({ code: "unknown_tool" });
    }
    expect(ran).toBe(0);
  });
});
