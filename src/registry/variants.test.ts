import * as Effect from "effect/Effect";
import * as Random from "effect/Random";
import { describe, expect, it } from "vitest";
import { effectOf } from "../../test/kit/effect-of.ts";
import { timeout } from "../pipeline/layers/timeout.ts";
import { tool } from "../tools/tool.ts";
import type { CallContext } from "../types/call.ts";
import type { AnyTool } from "../types/tool.ts";
import { type VariantOptions, variants } from "./variants.ts";

const input = { type: "object", properties: { n: { type: "integer" } }, required: ["n"] } as const;

const variant = (run: (input: { n: number }, context: CallContext) => unknown, more: object = {}): AnyTool =>
  tool({
    name: "count",
    description: "Counts.",
    input,
    annotations: { readOnly: true },
    run,
    ...more,
  } as never);

const saying = (text: string, more: object = {}): AnyTool => variant(() => text, more);

interface Called {
  readonly context: CallContext;
  readonly notes: string[];
  readonly controller: AbortController;
}

let count = 0;
const call = (more: Partial<CallContext> = {}): Called => {
  const notes: string[] = [];
  const controller = new AbortController();
  const context = {
    callId: "call-1",
    tool: "count",
    signal: controller.signal,
    principal: { agent: "demo" },
    idempotencyKey: `key-${count++}`,
    env: undefined,
    progress: () => {},
    note: (text: string) => void notes.push(text),
    cost: () => {},
    secret: async () => "",
    ...more,
  };
  return { context, notes, controller };
};

const runOf = (made: AnyTool) => {
  const run = made.implementation.bind(made.spec);
  return (context: CallContext, value: unknown = { n: 1 }): Effect.Effect<unknown, unknown> =>
    effectOf(run(Object.freeze(value as object), context) as never) as never;
};

const draws = (made: AnyTool, times: number): Effect.Effect<readonly unknown[], unknown> =>
  Effect.all(Array.from({ length: times }, () => runOf(made)(call().context)));

const ab = { a: saying("a"), b: saying("b") };
const share = (answers: readonly unknown[], name: string): number =>
  answers.filter((each) => each === name).length / answers.length;

describe("variant selection", () => {
  it("uses a fixed variant for every call and records it", async () => {
    const { context, notes } = call();
    const made = variants(ab, { pick: { fixed: "b" } });
    expect(await Effect.runPromise(runOf(made)(context))).toBe("b");
    expect(notes).toEqual(['variant: "b"']);
  });

  it("keeps a promise when nothing is random", () => {
    const made = variants({ a: variant(async () => 1) }, { pick: { fixed: "a" } });
    expect(made.implementation.bind(made.spec)({ n: 1 }, call().context)).toBeInstanceOf(Promise);
  });

  it("distributes calls by weight with the random source of the fiber", async () => {
    const made = variants(ab, { pick: { weights: { a: 0.9, b: 0.1 } } });
    const drawn = await Effect.runPromise(draws(made, 2_000).pipe(Random.withSeed("fair")));
    expect(share(drawn, "b")).toBeGreaterThan(0.07);
    expect(share(drawn, "b")).toBeLessThan(0.13);
    const again = variants(ab, { pick: { weights: { a: 0.9, b: 0.1 } } });
    expect(await Effect.runPromise(draws(again, 2_000).pipe(Random.withSeed("fair")))).toEqual(drawn);
  });

  it("repeats with the same seed, whatever the random source of the fiber", async () => {
    const story = () =>
      Effect.runPromise(draws(variants(ab, { pick: { weights: { a: 1, b: 1 }, seed: 7 } }), 50));
    const first = await story();
    expect(await story()).toEqual(first);
    expect(new Set(first)).toEqual(new Set(["a", "b"]));
  });

  it("does not select a variant without weight", async () => {
    const made = variants(ab, { pick: { weights: { a: 0, b: 3 } } });
    expect(share(await Effect.runPromise(draws(made, 100)), "b")).toBe(1);
  });

  it("uses the same variant when a call is retried", async () => {
    const made = variants(ab, { pick: { weights: { a: 1, b: 1 } } });
    const run = runOf(made);
    for (let each = 0; each < 20; each++) {
      const { context } = call();
      const tries = await Effect.runPromise(Effect.all(Array.from({ length: 5 }, () => run(context))));
      expect(new Set(tries).size).toBe(1);
    }
  });

  it("maps a sticky key to one variant in every process and distributes keys by weight", async () => {
    const pick = {
      sticky: ({ principal }: CallContext) => principal.user,
      weights: { a: 0.5, b: 0.5 },
    };
    const [one, other] = [runOf(variants(ab, { pick })), runOf(variants(ab, { pick }))];
    const answers: unknown[] = [];
    for (let user = 0; user < 400; user++) {
      const principal = { agent: "demo", user: `user-${user}` };
      const answer = await Effect.runPromise(one(call({ principal }).context));
      expect(await Effect.runPromise(other(call({ principal }).context))).toBe(answer);
      answers.push(answer);
    }
    expect(share(answers, "a")).toBeGreaterThan(0.4);
    expect(share(answers, "a")).toBeLessThan(0.6);
  });

  it("selects randomly for a sticky call without a key", async () => {
    const made = variants(ab, { pick: { sticky: () => undefined, weights: { a: 1, b: 1 } } });
    expect(new Set(await Effect.runPromise(draws(made, 50)))).toEqual(new Set(["a", "b"]));
  });

  it("maps keys differently with another seed", async () => {
    const dealt = async (seed: number) => {
      const run = runOf(
        variants(ab, {
          pick: { sticky: (_, given) => String((given as { n: number }).n), weights: { a: 1, b: 1 }, seed },
        }),
      );
      return Effect.runPromise(Effect.all(Array.from({ length: 40 }, (_, n) => run(call().context, { n }))));
    };
    expect(await dealt(1)).not.toEqual(await dealt(2));
  });
});

describe("variants", () => {
  it("have the strictest spec of all", () => {
    const risky = saying("b", { risk: "high", requiresApproval: true, annotations: { destructive: true } });
    const { spec } = variants({ a: saying("a"), b: risky }, { pick: { fixed: "a" } });
    expect(spec).toMatchObject({ risk: "high", requiresApproval: true });
    expect(spec.annotations).toEqual({ readOnly: false, destructive: true });
    const writing = saying("b", { annotations: { readOnly: false } });
    expect(variants({ a: saying("a"), b: writing }, { pick: { fixed: "a" } }).spec.annotations.readOnly).toBe(
      false,
    );
  });

  it("reject one that accepts less than the first, with the pointer", () => {
    const narrow = saying("b", { input: { ...input, properties: { n: { type: "integer", minimum: 1 } } } });
    expect(() => variants({ a: saying("a"), b: narrow }, { pick: { fixed: "a" } })).toThrow(
      "/n spec: may be any number, however small | library: must be at least 1",
    );
    expect(variants({ a: saying("a"), b: narrow }, { pick: { fixed: "a" }, mode: "name" })).toBeDefined();
  });

  it("are each validated against their own schemas", async () => {
    const picky = saying("b", { input: { ...input, properties: { n: { type: "integer", maximum: 5 } } } });
    const lying = variant(() => 5, { output: { type: "string" } });
    const answer = (fixed: "picky" | "lying", n: number) =>
      Effect.runPromise(
        runOf(variants({ a: saying("a"), picky, lying }, { pick: { fixed }, mode: "name" }))(call().context, {
          n,
        }),
      );
    expect(await answer("picky", 5)).toBe("b");
    expect(await answer("picky", 6)).toMatchObject({ failure: { code: "invalid_input", ran: false } });
    expect(await answer("lying", 1)).toMatchObject({ failure: { code: "invalid_output", ran: true } });
  });

  it("get only their own defaults", async () => {
    const echo = (value: number) =>
      variant((given) => given, {
        input: { ...input, properties: { ...input.properties, limit: { type: "integer", default: value } } },
      });
    const run = (fixed: "a" | "b") =>
      Effect.runPromise(runOf(variants({ a: echo(1), b: echo(2) }, { pick: { fixed } }))(call().context));
    expect(await run("a")).toEqual({ n: 1, limit: 1 });
    expect(await run("b")).toEqual({ n: 1, limit: 2 });
  });

  it("of bare functions need a spec", async () => {
    const functions = { a: () => "a", b: () => "b" };
    expect(() => variants(functions, { pick: { fixed: "a" } })).toThrow("need a `spec`");
    const made = variants(functions, { pick: { fixed: "b" }, spec: saying("a").spec });
    expect(await Effect.runPromise(runOf(made)(call().context))).toBe("b");
  });

  it.each<readonly [string, VariantOptions<"a" | "b">, string]>([
    [
      "an unknown variant",
      { pick: { fixed: "c" as never } },
      'Unknown variant "c"; the variants are "a", "b".',
    ],
    ["a weight for an unknown variant", { pick: { weights: { c: 1 } as never } }, 'Unknown variant "c"'],
    ["a negative weight", { pick: { weights: { a: -1 } } }, "must be a number of 0 or more"],
    ["no weight at all", { pick: { weights: {} } }, "At least one variant needs a weight"],
  ])("are rejected with %s", (_, options, message) => {
    expect(() => variants(ab, options)).toThrow(message);
  });

  it("with layers of their own are rejected", () => {
    expect(() => variants({ a: saying("a").layer(timeout("1 second")) }, { pick: { fixed: "a" } })).toThrow(
      "Put the layers around all variants",
    );
  });
});

describe("shadow variant that may write", () => {
  const reading = (run: () => unknown, annotations: object = { readOnly: true }): AnyTool =>
    variant(run, { annotations });

  const make =
    (annotations: object, more: object = {}) =>
    () =>
      variants(
        { a: reading(() => 1), b: reading(() => 2, annotations) },
        { shadow: { answer: "a", compare: "b", onCompared: () => {}, ...more } },
      );

  it("is rejected by default", () => {
    expect(make({})).toThrow('The variant "b" may write');
    expect(make({ readOnly: false })).toThrow("allowWrites");
    expect(make({ readOnly: true })).not.toThrow();
  });

  it("is accepted with allowWrites", () => {
    expect(make({}, { allowWrites: true })).not.toThrow();
  });

  it("may be the answering one", () => {
    expect(() =>
      variants(
        { a: reading(() => 1, {}), b: reading(() => 2) },
        { shadow: { answer: "a", compare: "b", onCompared: () => {} } },
      ),
    ).not.toThrow();
  });

  it("is assumed for a function whose spec is not read-only", () => {
    const functions = { a: () => 1, b: () => 2 };
    const shadow = { answer: "a", compare: "b", onCompared: () => {} } as const;
    expect(() => variants(functions, { spec: reading(() => 1, {}).spec, shadow })).toThrow("may write");
    expect(() => variants(functions, { spec: reading(() => 1).spec, shadow })).not.toThrow();
  });
});
