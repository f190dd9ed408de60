import { describe, expect, expectTypeOf, it, vi } from "vitest";
import type { RawCall } from "../../types/call.ts";
import type { HydrationResult } from "../../types/hydration.ts";
import type { ToolSpec } from "../../types/tool.ts";
import { hydrate } from "./hydrate-arguments.ts";

const spec: ToolSpec = {
  name: "forecast",
  description: "",
  input: {
    type: "object",
    properties: { city: { type: "string" }, days: { type: "integer" } },
    required: ["city"],
    additionalProperties: false,
  },
  category: "custom",
  risk: "low",
  requiresApproval: false,
  source: "function",
  tags: [],
  annotations: {},
  validate: "strict",
  strict: false,
};
const raw = (input: unknown, more: Partial<RawCall> = {}): RawCall => ({
  id: "call_1",
  tool: "forecast",
  input,
  ...more,
});
const now = () => 5;
const good = '{"city":"Oslo","days":2}';

describe("strict validation", () => {
  it("returns valid arguments with their provenance", () => {
    const result = hydrate(raw(good), spec, { now });
    expect(result).toEqual({
      success: true,
      errors: [],
      provenance: {
        providerToolId: "forecast",
        callId: "call_1",
        tool: "forecast",
        originalRawArgs: good,
        parsed: { city: "Oslo", days: 2 },
        validated: { city: "Oslo", days: 2 },
        validator: { name: "haft schema", version: "1", compiledAt: "hydration" },
        at: 5,
        validationMs: 0,
        repaired: false,
        changes: [],
      },
    });
  });

  it("freezes the validated value unless it was parsed from valid text", () => {
    const isFrozen = (given: RawCall, repair: "deterministic" | "off") =>
      Object.isFrozen(hydrate(given, spec, { repair }).provenance.validated);
    expect(isFrozen(raw(good), "off")).toBe(false);
    expect(isFrozen(raw(good), "deterministic")).toBe(false);
    expect(isFrozen(raw({ city: "Oslo" }), "off")).toBe(true);
    expect(isFrozen(raw("{city:'Oslo'}"), "deterministic")).toBe(true);
  });

  it("copies and freezes an object that is passed as input", () => {
    const input = { city: "Oslo", days: 2 };
    const { provenance } = hydrate(raw(input), spec, { now });
    expect({ ...provenance, originalRawArgs: good }).toEqual(hydrate(raw(good), spec, { now }).provenance);
    expect(provenance.validated).not.toBe(input);
    expect(Object.isFrozen(input)).toBe(false);
  });

  it("freezes nested values", () => {
    const input = { type: "object", properties: { list: { type: "array" } } };
    const { validated } = hydrate(raw({ list: [{ a: [null] }] }), { ...spec, input }).provenance;
    const { list } = validated as { list: readonly [{ a: readonly unknown[] }] };
    expect([list, list[0], list[0].a].every(Object.isFrozen)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["text", '{"n":-0,"l":[-0,-0.0,[{"m":-0e3}]],"s":"-0"}'],
    ["value", { n: -0, l: [-0, -0, [{ m: -0 }]], s: "-0" }],
  ])("turns minus zero in a %s into zero", (_, input) => {
    const { validated } = hydrate(raw(input), { ...spec, input: { type: "object" } }).provenance;
    expect(validated).toStrictEqual({ n: 0, l: [0, 0, [{ m: 0 }]], s: "-0" });
  });

  it.each(["5", "false", "[1]", '"x"', "true"])("rejects %s as arguments for every schema", (input) => {
    for (const schema of [{}, { required: ["a"] }]) {
      const { success, errors } = hydrate(
        raw(input),
        { ...spec, input: schema },
        { repair: "deterministic" },
      );
      expect([success, errors[0]?.stage]).toEqual([false, "validate"]);
    }
  });

  it("records the part of the reply, and the validation time when a clock is given", () => {
    const times = [1_000, 1_003.5];
    const from = raw('{"city":"Oslo"}', { part: "/content/2" });
    expect(hydrate(from, spec, { now: () => times.shift()! }).provenance).toMatchObject({
      part: "/content/2",
      at: 1_000,
      validationMs: 3.5,
    });
    expect(hydrate(from, spec).provenance).not.toHaveProperty("validationMs");
  });

  it.each([[""], [null], [undefined], ["null"], [" \n\t"], [" null "]])(
    "treats %j as empty arguments, which fail a required property",
    (input) => {
      expect(hydrate(raw(input), spec).errors[0]?.stage).toBe("validate");
      expect(hydrate(raw(input), { ...spec, input: { type: "object" } }).provenance.validated).toEqual({});
    },
  );

  it("rejects the text null for a tool with optional properties", () => {
    const input = { type: "object", properties: { city: { type: "string" } } };
    for (const repair of ["off", "deterministic"] as const)
      expect(hydrate(raw("null"), { ...spec, input }, { repair }).success).toBe(false);
    expect(hydrate(raw("  "), { ...spec, input }).success).toBe(true);
  });

  it("reports where arguments are unreadable or invalid", () => {
    const [unreadable] = hydrate(raw("{'city':1}"), spec).errors;
    expect(unreadable).toMatchObject({ stage: "parse", detail: { line: 1, column: 2 } });
    expect(unreadable?.message).toContain('The arguments of "forecast" cannot be read');
    const { errors, success, provenance } = hydrate(raw('{"city":1}'), spec);
    expect([success, "validated" in provenance, provenance.parsed]).toEqual([false, false, { city: 1 }]);
    expect(errors).toMatchObject([{ stage: "validate", detail: [{ pointer: "/city" }] }]);
  });

  it("keeps the parsed arguments apart from the defaults", () => {
    const input = { type: "object", properties: { days: { type: "integer", default: 3 } } };
    const { provenance } = hydrate(raw("{}"), { ...spec, input });
    expect([provenance.parsed, provenance.validated]).toEqual([{}, { days: 3 }]);
  });

  it("removes a null that marks an omitted property", () => {
    const { provenance } = hydrate(raw('{"city":"Oslo","days":null}', { nulls: ["/days"] }), spec);
    expect([provenance.parsed, provenance.validated]).toEqual([
      { city: "Oslo", days: null },
      { city: "Oslo" },
    ]);
  });

  it("has no validator for a tool without a schema and reports its noSchemaMode", () => {
    const free: ToolSpec = { ...spec, input: { type: "object" }, noSchemaMode: "read-only" };
    const { success, provenance } = hydrate(raw('{"any":1}'), free);
    expect([success, provenance.validator, provenance.noSchemaMode]).toEqual([true, null, "read-only"]);
    expect(hydrate(raw("[]"), free).success).toBe(false);
  });

  it("passes invalid arguments to a lenient tool together with the error", () => {
    const { success, errors, provenance } = hydrate(raw('{"city":1}'), { ...spec, validate: "lenient" });
    expect([success, errors.length, provenance.validated]).toEqual([true, 1, { city: 1 }]);
  });

  it.each<[string, Partial<RawCall>, string]>([
    ["truncated", { finish: "incomplete" }, "cut off"],
    ["truncated according to a provider's finish reason", { finish: "length" as never }, "cut off"],
    ["executed by the provider", { providerExecuted: true }, "itself"],
    ["without an id", { id: "" }, "not a tool call"],
    ["without a name", { tool: 1 as never }, "not a tool call"],
  ])("rejects a call that is %s in every repair mode", async (_, more, words) => {
    const repairer = vi.fn(async () => good);
    for (const repair of ["off", "deterministic", "model"] as const) {
      const result = await hydrate(raw(good, more), spec, { repair, repairer });
      expect(result.success).toBe(false);
      expect(result.errors[0]?.message).toContain(words);
    }
    expect(repairer).not.toHaveBeenCalled();
  });

  it.each<[string, () => unknown]>([
    ["a null call", () => hydrate(null as never, spec)],
    ["an undefined call", () => hydrate(undefined as never, spec, { repair: "deterministic" })],
    ["an undefined spec", () => hydrate(raw(good), undefined as never)],
    ["a null spec and null options", () => hydrate(raw(good), null as never, null as never)],
    ["an undefined spec in model mode", () => hydrate(raw(good), undefined as never, { repair: "model" })],
    [
      "a call whose getter throws",
      () =>
        hydrate(
          {
            ...raw(good),
            get input(): never {
              throw new Error("no");
            },
          },
          spec,
        ),
    ],
  ])("returns an error result for %s instead of throwing", async (_, call) => {
    const result = (await call()) as HydrationResult;
    expect(result.success).toBe(false);
    expect(result.errors[0]?.message).toContain("Hydration requires a tool call");
    expect(result.provenance).toMatchObject({ repaired: false, changes: [] });
  });

  it("rejects every call when the schema is invalid", () => {
    const result = hydrate(raw(good), { ...spec, input: { type: "nonsense" } }, { repair: "deterministic" });
    expect([result.success, result.errors[0]?.stage]).toEqual([false, "validate"]);
  });
});

describe("repair", () => {
  const broken = `{'city':'Oslo','days':"2"}`;

  it("is off by default", () => {
    expect(hydrate(raw(broken), spec).success).toBe(false);
    expect(hydrate(raw(broken), spec, { repair: "off" }).success).toBe(false);
  });

  it("marks a call that was repaired by rules and lists the changes", () => {
    const { success, errors, provenance } = hydrate(raw(broken), spec, { repair: "deterministic" });
    expect([success, errors, provenance.repaired]).toEqual([true, [], true]);
    expect(provenance.validated).toEqual({ city: "Oslo", days: 2 });
    expect("parsed" in provenance).toBe(false);
    expect(provenance.changes.map(({ stage }) => stage)).toEqual(["text", "text", "text", "value"]);
    expect(Object.isFrozen(provenance.validated)).toBe(true);
  });

  it("leaves valid arguments unchanged and keeps the first error when no rule applies", () => {
    expect(hydrate(raw(good), spec, { repair: "deterministic" }).provenance.repaired).toBe(false);
    const strict = hydrate(raw('{"city":'), spec, { now });
    expect(hydrate(raw('{"city":'), spec, { now, repair: "deterministic" })).toEqual(strict);
  });

  it("asks the repair model once and validates its answer", async () => {
    const repairer = vi.fn(async () => good);
    const { provenance } = await hydrate(raw("Oslo, please"), spec, { repair: "model", repairer });
    expect(repairer.mock.calls).toEqual([
      [{ spec, text: "Oslo, please", problem: expect.stringContaining("cannot be read") }],
    ]);
    expect(provenance).toMatchObject({ repaired: true, validated: { city: "Oslo", days: 2 } });
    expect(provenance.changes).toEqual([{ stage: "model", pointer: "", from: "Oslo, please", to: good }]);
  });

  it.each<[string, () => Promise<string>]>([
    ["returns invalid text", async () => "{'city':'Oslo'}"],
    ["returns an empty string", async () => ""],
    ["fails", () => Promise.reject(new Error("down"))],
  ])("keeps the original error when the repair model %s", async (_, answer) => {
    const repairer = vi.fn(answer);
    const result = await hydrate(raw("{}"), spec, { repair: "model", repairer, now });
    expect(result).toEqual(hydrate(raw("{}"), spec, { now }));
    expect(repairer).toHaveBeenCalledTimes(1);
  });

  it("is asynchronous only in model mode", async () => {
    expectTypeOf(hydrate(raw(good), spec)).toEqualTypeOf<HydrationResult>();
    expectTypeOf(hydrate(raw(good), spec, { repair: "deterministic" })).toEqualTypeOf<HydrationResult>();
    const later = hydrate(raw(good), spec, { repair: "model" });
    expectTypeOf(later).toEqualTypeOf<Promise<HydrationResult>>();
    expect((await later).success).toBe(true);
  });
});
