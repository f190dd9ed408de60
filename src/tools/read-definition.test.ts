import * as Duration from "effect/Duration";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { ToolDefinitionError } from "../types/errors.ts";
import { tool } from "./tool.ts";

const refusal = (definition: object): ToolDefinitionError => {
  try {
    tool(definition as never);
  } catch (error) {
    expect(error).toBeInstanceOf(ToolDefinitionError);
    return error as ToolDefinitionError;
  }
  throw new Error("it was accepted");
};

const weather = {
  name: "get_weather",
  description: "Current weather for a city",
  input: z.object({ city: z.string() }),
  run: ({ city }: { city: string }) => `Sun over ${city}`,
};

describe("tool spec", () => {
  it("has defaults for omitted fields", () => {
    expect(tool(weather).spec).toEqual({
      name: "get_weather",
      description: "Current weather for a city",
      input: { type: "object", properties: { city: { type: "string" } }, required: ["city"] },
      category: "custom",
      risk: "low",
      requiresApproval: false,
      source: "function",
      tags: [],
      annotations: {},
      validate: "strict",
      strict: false,
    });
  });

  it("contains all given fields, frozen and serializable", () => {
    const { spec } = tool({
      ...weather,
      output: z.string(),
      returnType: "string",
      signature: "(city: Text) --> IO Text",
      category: "data",
      risk: "high",
      timeout: "5 seconds",
      requiresApproval: true,
      source: "plugin",
      tags: ["weather"],
      annotations: { readOnly: true, title: "Weather" },
      validate: "lenient",
      strict: true,
    });
    expect(JSON.parse(JSON.stringify(spec))).toEqual(spec);
    expect(spec).toMatchObject({
      output: { type: "string" },
      returnType: "string",
      signature: "(city: Text) --> IO Text",
      category: "data",
      risk: "high",
      timeoutMs: 5_000,
      requiresApproval: true,
      source: "plugin",
      tags: ["weather"],
      annotations: { readOnly: true, title: "Weather" },
      validate: "lenient",
      strict: true,
    });
    expect([spec, spec.tags, spec.annotations, spec.input].every(Object.isFrozen)).toBe(true);
  });

  it("accepts a timeout as text, milliseconds or Duration", () => {
    const timeouts = ["2 minutes", 1_500, Duration.seconds(3)] as const;
    expect(timeouts.map((timeout) => tool({ ...weather, timeout }).spec.timeoutMs)).toEqual([
      120_000, 1_500, 3_000,
    ]);
    for (const timeout of ["soon", 0, -1, "Infinity", {}, null]) {
      expect(refusal({ ...weather, timeout }).message).toContain("is not a duration");
    }
  });
});

describe("tool without a schema", () => {
  it("is rejected unless allowNoSchema is set", () => {
    const { input: _, ...bare } = weather;
    const error = refusal(bare);
    expect(error.code).toBe("invalid_definition");
    expect(error.message).toBe(
      'The tool "get_weather" has no input schema, so its calls cannot be validated. Add `input` (`[]` for a tool without parameters), or set `allowNoSchema: true`.',
    );
    expect(error.toolName).toBe("get_weather");
  });

  it("is marked and requires approval by default", () => {
    const free = {
      name: "free",
      description: "Takes anything",
      allowNoSchema: true,
      run: (input: object) => input,
    };
    expect(tool(free).spec).toMatchObject({ input: { type: "object" }, noSchemaMode: "human-approval" });
    expect(tool({ ...free, noSchemaMode: "read-only" }).spec.noSchemaMode).toBe("read-only");
    expect(tool(free).input({ anything: 1 })).toEqual({ ok: true, value: { anything: 1 } });
  });

  it("is not assumed when a schema is given with allowNoSchema", () => {
    expect(tool({ ...weather, allowNoSchema: true }).spec.noSchemaMode).toBeUndefined();
  });
});

describe("definition is rejected", () => {
  it.each([
    ["a bad name", { ...weather, name: "get weather" }, "refused_name", "Try"],
    ["no description", { ...weather, description: " " }, "invalid_definition", "needs a description"],
    [
      "an invisible character in the description",
      { ...weather, description: "Hi\u{e0041}" },
      "invalid_definition",
      "U+E0041 at position 2",
    ],
    [
      "reordered text in the description",
      { ...weather, description: "a\u202eb" },
      "invalid_definition",
      "U+202E",
    ],
    ["no code", { ...weather, run: undefined }, "invalid_definition", "has no code"],
    [
      "both run and implementation",
      { ...weather, implementation: {} },
      "invalid_definition",
      "has both `run` and `implementation`",
    ],
    [
      "a run that is not a function",
      { ...weather, run: 1 },
      "invalid_definition",
      "has a `run` that is number",
    ],
    [
      "an implementation without bind",
      { ...weather, run: undefined, implementation: {} },
      "invalid_definition",
      "no code",
    ],
    [
      "both input and parameters",
      { ...weather, parameters: [] },
      "invalid_definition",
      "has both `input` and `parameters`",
    ],
    [
      "noSchemaMode without allowNoSchema",
      { ...weather, noSchemaMode: "full" },
      "invalid_definition",
      "allowNoSchema: true",
    ],
    [
      "an unknown risk",
      { ...weather, risk: "none" },
      "invalid_definition",
      '`risk` that is "none"; it must be one of "low"',
    ],
    [
      "a truthy flag",
      { ...weather, requiresApproval: "no" },
      "invalid_definition",
      "it must be true or false",
    ],
    [
      "a field name of another system",
      { ...weather, riskLevel: "low" },
      "invalid_definition",
      "It is called `risk`.",
    ],
    ["a misspelled field", { ...weather, requireApproval: true }, "invalid_definition", "The fields are: "],
    [
      "a misspelled annotation",
      { ...weather, annotations: { readonly: true } },
      "invalid_definition",
      "`annotations.readonly`",
    ],
    ["tags that are not a list", { ...weather, tags: "a" }, "invalid_definition", "a list of strings"],
    [
      "an invalid output",
      { ...weather, output: 1 },
      "invalid_definition",
      'The tool "get_weather": The output schema is a number',
    ],
    [
      "an invalid input",
      { ...weather, input: z.string() },
      "refused_schema",
      'The tool "get_weather": A tool has named arguments',
    ],
  ])("with %s", (_, definition, code, message) => {
    const error = refusal(definition);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });
});
