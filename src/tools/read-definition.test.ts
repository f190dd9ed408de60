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

describe("a tool's spec", () => {
  it("has a default for everything that was not said", () => {
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

  it("holds everything that was said, frozen and serializable", () => {
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

  it("takes a length of time in words, in milliseconds, or as a Duration", () => {
    const timeouts = ["2 minutes", 1_500, Duration.seconds(3)] as const;
    expect(timeouts.map((timeout) => tool({ ...weather, timeout }).spec.timeoutMs)).toEqual([
      120_000, 1_500, 3_000,
    ]);
    for (const timeout of ["soon", 0, -1, "Infinity", {}, null]) {
      expect(refusal({ ...weather, timeout }).message).toContain("is no length of time");
    }
  });
});

describe("a tool without a schema", () => {
  it("is refused unless it says so", () => {
    const { input: _, ...bare } = weather;
    const error = refusal(bare);
    expect(error.code).toBe("invalid_definition");
    expect(error.message).toBe(
      'The tool "get_weather" has no input schema, so its calls could not be validated. Give it `input` (`[]` for a tool without parameters), or say `allowNoSchema: true`.',
    );
    expect(error.toolName).toBe("get_weather");
  });

  it("is marked, and waits for a person by default", () => {
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

  it("is not what a tool with a schema is, even if it were allowed to be", () => {
    expect(tool({ ...weather, allowNoSchema: true }).spec.noSchemaMode).toBeUndefined();
  });
});

describe("a definition is refused", () => {
  it.each([
    ["a bad name", { ...weather, name: "get weather" }, "refused_name", "Try"],
    ["no description", { ...weather, description: " " }, "invalid_definition", "needs a description"],
    [
      "a hidden tag in it",
      { ...weather, description: "Hi\u{e0041}" },
      "invalid_definition",
      "U+E0041 at position 2",
    ],
    ["reordered text", { ...weather, description: "a\u202eb" }, "invalid_definition", "U+202E"],
    ["no code", { ...weather, run: undefined }, "invalid_definition", "has no code"],
    [
      "two codes",
      { ...weather, implementation: {} },
      "invalid_definition",
      "has both `run` and `implementation`",
    ],
    ["a run that cannot run", { ...weather, run: 1 }, "invalid_definition", "has a `run` that is number"],
    [
      "an implementation that cannot bind",
      { ...weather, run: undefined, implementation: {} },
      "invalid_definition",
      "no code",
    ],
    ["two inputs", { ...weather, parameters: [] }, "invalid_definition", "has both `input` and `parameters`"],
    [
      "a mode without a permission",
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
    ["another system's word", { ...weather, riskLevel: "low" }, "invalid_definition", "It is called `risk`."],
    ["a misspelled field", { ...weather, requireApproval: true }, "invalid_definition", "The fields are: "],
    [
      "a misspelled annotation",
      { ...weather, annotations: { readonly: true } },
      "invalid_definition",
      "`annotations.readonly`",
    ],
    ["tags that are no list", { ...weather, tags: "a" }, "invalid_definition", "a list of strings"],
    [
      "a bad output",
      { ...weather, output: 1 },
      "invalid_definition",
      'The tool "get_weather": The output schema is a number',
    ],
    [
      "a bad input",
      { ...weather, input: z.string() },
      "refused_schema",
      'The tool "get_weather": A tool takes named arguments',
    ],
  ])("with %s", (_, definition, code, message) => {
    const error = refusal(definition);
    expect(error.code).toBe(code);
    expect(error.message).toContain(message);
  });
});
