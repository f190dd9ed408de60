import { describe, expect, expectTypeOf, it, vi } from "vitest";
import type { RawCall } from "../../types/call.ts";
import type { HydrationResult } from "../../types/hydration.ts";
import type { ToolSpec } from "../../types/spec.ts";
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

describe("strict", () => {
  it("arguments that hold come with where they are from", () => {
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

  it("a text that was fine as it came gives a value that is the caller's own, and every other is frozen", () => {
    const isFrozen = (given: RawCall, repair: "deterministic" | "off") =>
      Object.isFrozen(hydrate(given, spec, { repair }).provenance.validated);
    expect(isFrozen(raw(good), "off")).toBe(false);
    expect(isFrozen(raw(good), "deterministic")).toBe(false);
    expect(isFrozen(raw({ city: "Oslo" }), "off")).toBe(true);
    expect(isFrozen(raw("{city:'Oslo'}"), "deterministic")).toBe(true);
  });

  it("a value from this process is copied and frozen, and gives the same", () => {
    const input = { city: "Oslo", days: 2 };
    const { provenance } = hydrate(raw(input), spec, { now });
    expect({ ...provenance, originalRawArgs: good }).toEqual(hydrate(raw(good), spec, { now }).provenance);
    expect(provenance.validated).not.toBe(input);
    expect(Object.isFrozen(input)).toBe(false);
  });

  it("what is nested is frozen as well", () => {
    const input = { type: "object", properties: { list: { type: "array" } } };
    const { validated } = hydrate(raw({ list: [{ a: [null] }] }), { ...spec, input }).provenance;
    const { list } = validated as { list: readonly [{ a: readonly unknown[] }] };
    expect([list, list[0], list[0].a].every(Object.isFrozen)).toBe(true);
  });

  it.each<[string, unknown]>([
    ["a text", '{"n":-0,"l":[-0,-0.0,[{"m":-0e3}]],"s":"-0"}'],
    ["a value", { n: -0, l: [-0, -0, [{ m: -0 }]], s: "-0" }],
  ])("minus zero in %s is zero, as it is once it is written and read again", (_, input) => {
    const { validated } = hydrate(raw(input), { ...spec, input: { type: "object" } }).provenance;
    expect(validated).toStrictEqual({ n: 0, l: [0, 0, [{ m: 0 }]], s: "-0" });
  });

  it.each(["5", "false", "[1]", '"x"', "true"])(
    "%s is no named arguments, whatever the schema says",
    (input) => {
      for (const schema of [{}, { required: ["a"] }]) {
        const { success, errors } = hydrate(
          raw(input),
          { ...spec, input: schema },
          { repair: "deterministic" },
        );
        expect([success, errors[0]?.stage]).toEqual([false, "validate"]);
      }
    },
  );

  it("the provenance names the part of the reply, and the time validation took where there is a clock", () => {
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
    "%j means no arguments, which a required property refuses",
    (input) => {
      expect(hydrate(raw(input), spec).errors[0]?.stage).toBe("validate");
      expect(hydrate(raw(input), { ...spec, input: { type: "object" } }).provenance.validated).toEqual({});
    },
  );

  it("the word null is no arguments of a tool that takes some, even where all of them may be left out", () => {
    const input = { type: "object", properties: { city: { type: "string" } } };
    for (const repair of ["off", "deterministic"] as const)
      expect(hydrate(raw("null"), { ...spec, input }, { repair }).success).toBe(false);
    expect(hydrate(raw("  "), { ...spec, input }).success).toBe(true);
  });

  it("unreadable and invalid arguments say where and what would be right", () => {
    const [unreadable] = hydrate(raw("{'city':1}"), spec).errors;
    expect(unreadable).toMatchObject({ stage: "parse", detail: { line: 1, column: 2 } });
    expect(unreadable?.message).toContain('The arguments of "forecast" cannot be read');
    const { errors, success, provenance } = hydrate(raw('{"city":1}'), spec);
    expect([success, "validated" in provenance, provenance.parsed]).toEqual([false, false, { city: 1 }]);
    expect(errors).toMatchObject([{ stage: "validate", detail: [{ pointer: "/city" }] }]);
  });

  it("what was read is kept apart from the defaults that were filled in", () => {
    const input = { type: "object", properties: { days: { type: "integer", default: 3 } } };
    const { provenance } = hydrate(raw("{}"), { ...spec, input });
    expect([provenance.parsed, provenance.validated]).toEqual([{}, { days: 3 }]);
  });

  it("a null that stands for what is left out is left out", () => {
    const { provenance } = hydrate(raw('{"city":"Oslo","days":null}', { nulls: ["/days"] }), spec);
    expect([provenance.parsed, provenance.validated]).toEqual([
      { city: "Oslo", days: null },
      { city: "Oslo" },
    ]);
  });

  it("a tool without a schema has no validator, and says in which mode it may run", () => {
    const free: ToolSpec = { ...spec, input: { type: "object" }, noSchemaMode: "read-only" };
    const { success, provenance } = hydrate(raw('{"any":1}'), free);
    expect([success, provenance.validator, provenance.noSchemaMode]).toEqual([true, null, "read-only"]);
    expect(hydrate(raw("[]"), free).success).toBe(false);
  });

  it("a lenient tool gets what breaks its schema, with the error beside it", () => {
    const { success, errors, provenance } = hydrate(raw('{"city":1}'), { ...spec, validate: "lenient" });
    expect([success, errors.length, provenance.validated]).toEqual([true, 1, { city: 1 }]);
  });

  it.each<[string, Partial<RawCall>, string]>([
    ["cut off", { finish: "incomplete" }, "cut off"],
    ["cut off in a provider's words", { finish: "length" as never }, "cut off"],
    ["the provider's own", { providerExecuted: true }, "itself"],
    ["without an id", { id: "" }, "not a tool call"],
    ["without a name", { tool: 1 as never }, "not a tool call"],
  ])("a call that is %s is refused in every mode, however good its arguments are", async (_, more, words) => {
    const repairer = vi.fn(async () => good);
    for (const repair of ["off", "deterministic", "model"] as const) {
      const result = await hydrate(raw(good, more), spec, { repair, repairer });
      expect(result.success).toBe(false);
      expect(result.errors[0]?.message).toContain(words);
    }
    expect(repairer).not.toHaveBeenCalled();
  });

  it.each<[string, () => unknown]>([
    ["no call", () => hydrate(null as never, spec)],
    ["nothing for a call", () => hydrate(undefined as never, spec, { repair: "deterministic" })],
    ["no spec", () => hydrate(raw(good), undefined as never)],
    ["no options", () => hydrate(raw(good), null as never, null as never)],
    ["no spec, for a model", () => hydrate(raw(good), undefined as never, { repair: "model" })],
    [
      "a call that throws",
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
  ])("%s gives a result that says so, and never throws", async (_, call) => {
    const result = (await call()) as HydrationResult;
    expect(result.success).toBe(false);
    expect(result.errors[0]?.message).toContain("cannot be hydrated");
    expect(result.provenance).toMatchObject({ repaired: false, changes: [] });
  });

  it("a schema that cannot be judged refuses every call instead of throwing", () => {
    const result = hydrate(raw(good), { ...spec, input: { type: "nonsense" } }, { repair: "deterministic" });
    expect([result.success, result.errors[0]?.stage]).toEqual([false, "validate"]);
  });
});

describe("repair", () => {
  const broken = `{'city':'Oslo','days':"2"}`;

  it("is off unless it is asked for", () => {
    expect(hydrate(raw(broken), spec).success).toBe(false);
    expect(hydrate(raw(broken), spec, { repair: "off" }).success).toBe(false);
  });

  it("by rules marks the call as repaired and lists what it did", () => {
    const { success, errors, provenance } = hydrate(raw(broken), spec, { repair: "deterministic" });
    expect([success, errors, provenance.repaired]).toEqual([true, [], true]);
    expect(provenance.validated).toEqual({ city: "Oslo", days: 2 });
    expect("parsed" in provenance).toBe(false);
    expect(provenance.changes.map(({ stage }) => stage)).toEqual(["text", "text", "text", "value"]);
    expect(Object.isFrozen(provenance.validated)).toBe(true);
  });

  it("by rules leaves what is right as it is, and keeps the first error where it can do nothing", () => {
    expect(hydrate(raw(good), spec, { repair: "deterministic" }).provenance.repaired).toBe(false);
    const strict = hydrate(raw('{"city":'), spec, { now });
    expect(hydrate(raw('{"city":'), spec, { now, repair: "deterministic" })).toEqual(strict);
  });

  it("by a model asks once, and holds the answer to the same rules", async () => {
    const repairer = vi.fn(async () => good);
    const { provenance } = await hydrate(raw("Oslo, please"), spec, { repair: "model", repairer });
    expect(repairer.mock.calls).toEqual([
      [{ spec, text: "Oslo, please", problem: expect.stringContaining("cannot be read") }],
    ]);
    expect(provenance).toMatchObject({ repaired: true, validated: { city: "Oslo", days: 2 } });
    expect(provenance.changes).toEqual([{ stage: "model", pointer: "", from: "Oslo, please", to: good }]);
  });

  it.each<[string, () => Promise<string>]>([
    ["answers badly", async () => "{'city':'Oslo'}"],
    ["answers with nothing", async () => ""],
    ["fails", () => Promise.reject(new Error("down"))],
  ])("by a model that %s leaves the call refused as it was", async (_, answer) => {
    const repairer = vi.fn(answer);
    const result = await hydrate(raw("{}"), spec, { repair: "model", repairer, now });
    expect(result).toEqual(hydrate(raw("{}"), spec, { now }));
    expect(repairer).toHaveBeenCalledTimes(1);
  });

  it("only a model takes time", async () => {
    expectTypeOf(hydrate(raw(good), spec)).toEqualTypeOf<HydrationResult>();
    expectTypeOf(hydrate(raw(good), spec, { repair: "deterministic" })).toEqualTypeOf<HydrationResult>();
    const later = hydrate(raw(good), spec, { repair: "model" });
    expectTypeOf(later).toEqualTypeOf<Promise<HydrationResult>>();
    expect((await later).success).toBe(true);
  });
});
