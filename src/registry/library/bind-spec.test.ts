import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tool } from "../../tools/tool.ts";
import type { ToolSpec } from "../../types/tool.ts";
import { bindSpec } from "./bind-code.ts";

const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
const weather = (more: object = {}) =>
  tool({ name: "weather", description: "The weather.", input, run: () => 1, ...more } as never);
const specOf = (more: object = {}): ToolSpec => weather(more).spec;

describe("bindSpec", () => {
  it("combines the spec of the agent with the code of the library", () => {
    const code = weather({ description: "Other words." });
    const bound = bindSpec(specOf(), code);
    expect(bound.spec.description).toBe("The weather.");
    expect(bound.implementation).toBe(code.implementation);
  });

  it("validates arguments against the spec and then against the schema of the code", () => {
    const picky = weather({ input: z.object({ city: z.string().refine((city) => city !== "Atlantis") }) });
    const bound = bindSpec(specOf({ input: { ...input, additionalProperties: false } }), picky);
    expect(bound.input({ city: "Oslo" }).ok).toBe(true);
    expect(bound.input({ city: "Oslo", more: 1 }).ok).toBe(false);
    expect(bound.input({ city: "Atlantis" }).ok).toBe(false);
  });

  it("validates results against both output schemas and fills in no defaults", () => {
    const output = { type: "object", properties: { unit: { type: "string", default: "C" } } };
    const bound = bindSpec(
      specOf({ output }),
      weather({ output: { type: "object", required: ["celsius"] } }),
    );
    const value = { celsius: 1 };
    expect(bound.output?.(value)).toEqual({ ok: true, value: { celsius: 1 } });
    expect(bound.output?.({}).ok).toBe(false);
    expect(bound.output?.({ celsius: 1, unit: 5 }).ok).toBe(false);
  });

  it("keeps spec and guards with another name and more layers", () => {
    const bound = bindSpec(specOf(), weather({ risk: "high" }))
      .withName("other")
      .layer();
    expect(bound.spec).toMatchObject({ name: "other", risk: "high" });
  });
});

describe("bindSpec uses the stricter", () => {
  it.each([
    ["risk", { risk: "low" }, { risk: "critical" }, { risk: "critical" }],
    ["risk of the spec", { risk: "high" }, { risk: "low" }, { risk: "high" }],
    ["approval", {}, { requiresApproval: true }, { requiresApproval: true }],
    ["approval of the spec", { requiresApproval: true }, {}, { requiresApproval: true }],
    ["timeout", { timeout: 5_000 }, { timeout: 1_000 }, { timeoutMs: 1_000 }],
    ["tags", { tags: ["a", "trusted", "sink"] }, { tags: ["b"] }, { tags: ["sink", "b"] }],
    ["metadata", { meta: { "a.com/x": 1 } }, { meta: { "a.com/y": 2 } }, { meta: { "a.com/y": 2 } }],
    ["source", { source: "function" }, { source: "http" }, { source: "http" }],
    ["strict validation", { validate: "lenient" }, { validate: "strict" }, { validate: "strict" }],
    [
      "readOnly annotation",
      { annotations: { readOnly: true, idempotent: true } },
      { annotations: { readOnly: false, idempotent: true } },
      { annotations: { readOnly: false, idempotent: true } },
    ],
    [
      "destructive annotation",
      { annotations: { destructive: false } },
      { annotations: { destructive: true, openWorld: true } },
      { annotations: { destructive: true, openWorld: true } },
    ],
    [
      "annotation that only one side sets",
      { annotations: {} },
      { annotations: { readOnly: true } },
      { annotations: { readOnly: true } },
    ],
  ])("%s", (_, spec, code, expected) => {
    expect(bindSpec(specOf(spec), weather(code)).spec).toMatchObject(expected);
  });

  it("bindSpec keeps the guards of the spec for bare code", () => {
    const spec = specOf({ risk: "high" });
    expect(bindSpec(spec, { _tag: "own", bind: () => async () => 1 }).spec).toBe(spec);
  });
});
