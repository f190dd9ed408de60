import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tool } from "../../tools/tool.ts";
import type { ToolSpec } from "../../types/spec.ts";
import { bindSpec } from "./bind-code.ts";

const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
const weather = (more: object = {}) =>
  tool({ name: "weather", description: "The weather.", input, run: () => 1, ...more } as never);
const specOf = (more: object = {}): ToolSpec => weather(more).spec;

describe("a bound tool", () => {
  it("shows the spec of its agent and runs the code of its library", () => {
    const code = weather({ description: "Other words." });
    const bound = bindSpec(specOf(), code);
    expect(bound.spec.description).toBe("The weather.");
    expect(bound.implementation).toBe(code.implementation);
  });

  it("holds arguments against the spec, and then against the code's own schema", () => {
    const picky = weather({ input: z.object({ city: z.string().refine((city) => city !== "Atlantis") }) });
    const bound = bindSpec(specOf({ input: { ...input, additionalProperties: false } }), picky);
    expect(bound.input({ city: "Oslo" }).ok).toBe(true);
    expect(bound.input({ city: "Oslo", more: 1 }).ok).toBe(false);
    expect(bound.input({ city: "Atlantis" }).ok).toBe(false);
  });

  it("holds results against both promises, and fills nothing into them", () => {
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

  it("keeps its spec and its guards under another name and with more layers", () => {
    const bound = bindSpec(specOf(), weather({ risk: "high" }))
      .withName("other")
      .layer();
    expect(bound.spec).toMatchObject({ name: "other", risk: "high" });
  });
});

describe("the stricter side guards the call", () => {
  it.each([
    ["risk", { risk: "low" }, { risk: "critical" }, { risk: "critical" }],
    ["risk of the spec", { risk: "high" }, { risk: "low" }, { risk: "high" }],
    ["approval", {}, { requiresApproval: true }, { requiresApproval: true }],
    ["approval of the spec", { requiresApproval: true }, {}, { requiresApproval: true }],
    ["time", { timeout: 5_000 }, { timeout: 1_000 }, { timeoutMs: 1_000 }],
    ["tags", { tags: ["a", "trusted", "sink"] }, { tags: ["b"] }, { tags: ["sink", "b"] }],
    ["metadata", { meta: { "a.com/x": 1 } }, { meta: { "a.com/y": 2 } }, { meta: { "a.com/y": 2 } }],
    ["source", { source: "function" }, { source: "http" }, { source: "http" }],
    ["strict validation", { validate: "lenient" }, { validate: "strict" }, { validate: "strict" }],
    [
      "writing",
      { annotations: { readOnly: true, idempotent: true } },
      { annotations: { readOnly: false, idempotent: true } },
      { annotations: { readOnly: false, idempotent: true } },
    ],
    [
      "destruction",
      { annotations: { destructive: false } },
      { annotations: { destructive: true, openWorld: true } },
      { annotations: { destructive: true, openWorld: true } },
    ],
    [
      "the word of the only side that speaks",
      { annotations: {} },
      { annotations: { readOnly: true } },
      { annotations: { readOnly: true } },
    ],
  ])("%s", (_, spec, code, expected) => {
    expect(bindSpec(specOf(spec), weather(code)).spec).toMatchObject(expected);
  });

  it("bare code has the spec's guards", () => {
    const spec = specOf({ risk: "high" });
    expect(bindSpec(spec, { _tag: "own", bind: () => async () => 1 }).spec).toBe(spec);
  });
});
