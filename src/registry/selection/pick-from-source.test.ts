import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import { TestClock } from "effect/testing";
import fc from "fast-check";
import { describe, expect, it, test } from "vitest";
import { runWithTestClock } from "../../../test/contracts/test-layer-laws.ts";
import { testRegistration } from "../../../test/kit/test-registration.ts";
import { toolNamed } from "../../../test/kit/tool-named.ts";
import { Tool } from "../../tools/decorator.ts";
import { tool } from "../../tools/tool.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { ToolSpec } from "../../types/tool.ts";
import { pickToolsEffect, runPickTools } from "./pick-from-source.ts";
import type { PickOptions, RankRequest, RejectedTool, Scorer } from "./pick-options.ts";

const specOf = (name: string, spec: Partial<ToolSpec> = {}): ToolSpec =>
  testRegistration(name, { name, description: name, ...spec }).tool.spec;

const tools = [
  specOf("get_weather", { description: "Current weather for a city" }),
  specOf("get_time", { description: "Local time of a city" }),
  specOf("send_mail", { description: "Sends a mail to a person" }),
  specOf("list_mails", { description: "Lists mails, newest first" }),
  specOf("search_mail", { description: "Finds mails by their words" }),
];
const namesOf = (picked: readonly { readonly name: string }[]) => picked.map(({ name }) => name);
const byName =
  (scores: Record<string, number>): Scorer =>
  (_, { name }) =>
    scores[name] ?? 0;

describe("pickTools", () => {
  it("returns the best tools first with score and reason, and details with debug", async () => {
    const [first, ...others] = await runPickTools("What is the weather in Oslo?", tools);
    expect(first).toEqual({
      name: "get_weather",
      score: expect.any(Number),
      reason: "shares words with its name: weather",
    });
    expect(others).toEqual([]);
    const [debugged] = await runPickTools("What is the weather in Oslo?", tools, { debug: true });
    expect(debugged).toEqual({
      ...first,
      details: expect.objectContaining({ evidence: expect.objectContaining({ shared: 1 }) }),
    });
  });

  it("accepts whole tools and specs", async () => {
    expect(namesOf(await runPickTools("bake bread", [toolNamed("bake_bread"), specOf("wash_car")]))).toEqual([
      "bake_bread",
    ]);
  });

  it("returns at most three tools or maxCandidates", async () => {
    const scorer = byName({ get_weather: 0.2, get_time: 0.4, send_mail: 0.1, list_mails: 0.3 });
    expect(namesOf(await runPickTools("", tools, { scorer }))).toEqual([
      "get_time",
      "list_mails",
      "get_weather",
    ]);
    expect(namesOf(await runPickTools("", tools, { scorer, maxCandidates: 1 }))).toEqual(["get_time"]);
    expect(await runPickTools("", tools, { scorer, maxCandidates: 99 })).toHaveLength(4);
  });

  it("keeps registration order for equal scores", async () => {
    const scorer = byName({ search_mail: 0.5, get_weather: 0.5, send_mail: 0.5, list_mails: 0.7 });
    expect(namesOf(await runPickTools("", tools, { scorer }))).toEqual([
      "list_mails",
      "get_weather",
      "send_mail",
    ]);
  });

  it("includes tools from the minimum score on", async () => {
    const scorer = byName({ get_weather: 0.05, get_time: 0.0499 });
    expect(namesOf(await runPickTools("", tools, { scorer }))).toEqual(["get_weather"]);
    expect(await runPickTools("", tools, { scorer, minScore: 0.06 })).toEqual([]);
    expect(await runPickTools("", tools, { scorer, minScore: 0, maxCandidates: 9 })).toHaveLength(5);
  });

  it("returns an empty list without matches, tools or query", async () => {
    expect(await runPickTools("penguins", tools)).toEqual([]);
    expect(await runPickTools("penguins", [])).toEqual([]);
    expect(await runPickTools("", tools)).toEqual([]);
  });

  it("serializes a query that is not a string as JSON", async () => {
    const seen: string[] = [];
    const scorer: Scorer = (query) => {
      seen.push(query);
      return 1;
    };
    await runPickTools({ task: "weather", city: "Oslo" }, tools.slice(0, 1), { scorer });
    expect(seen).toEqual(['{"task":"weather","city":"Oslo"}']);
    expect(namesOf(await runPickTools({ want: ["weather"] }, tools))).toEqual(["get_weather"]);
  });
});

describe("unsafe tools", () => {
  const unsafe = [
    specOf("wipe_high", { risk: "high" }),
    specOf("wipe_critical", { risk: "critical" }),
    specOf("wipe_destructive", { annotations: { destructive: true } }),
    specOf("wipe_anyhow", { noSchemaMode: "read-only" }),
    specOf("wipe_medium", { risk: "medium" }),
  ];

  it("are skipped before scoring and reported to debug", async () => {
    const scored: string[] = [];
    const passedOver: RejectedTool[] = [];
    const scorer: Scorer = (_, { name }) => {
      scored.push(name);
      return 1;
    };
    const picked = await runPickTools("wipe", unsafe, { scorer, debug: (one) => passedOver.push(one) });
    expect(namesOf(picked)).toEqual(["wipe_medium"]);
    expect(scored).toEqual(["wipe_medium"]);
    expect(passedOver).toEqual([
      { name: "wipe_high", why: "unsafe: its risk is high" },
      { name: "wipe_critical", why: "unsafe: its risk is critical" },
      { name: "wipe_destructive", why: "unsafe: it is destructive" },
      { name: "wipe_anyhow", why: "unsafe: it has no schema" },
    ]);
  });

  it("are included with allowUnsafe", async () => {
    expect(await runPickTools("wipe", unsafe, { allowUnsafe: true, maxCandidates: 9 })).toHaveLength(5);
  });

  it("are excluded from the fallback after a timeout", async () => {
    const picked = await runWithTestClock(slowly(["wipe"], unsafe, { timeoutMs: 10 }));
    expect(namesOf(picked)).toEqual(["wipe_medium"]);
  });
});

/** Starts a pick whose scorer does not answer and advances the clock past the timeout. */
const slowly = (
  [query]: readonly [string],
  given: readonly ToolSpec[],
  options: PickOptions & { readonly timeoutMs: number },
) =>
  Effect.gen(function* () {
    const scorer: Scorer = () => new Promise(() => {});
    const fiber = yield* Effect.forkChild(
      Effect.orDie(pickToolsEffect(query, given, { scorer, ...options })),
      {
        startImmediately: true,
      },
    );
    yield* TestClock.adjust(options.timeoutMs - 1);
    expect(fiber.pollUnsafe()).toBeUndefined();
    yield* TestClock.adjust(1);
    return yield* Fiber.join(fiber);
  });

describe("custom scorer", () => {
  it("may be asynchronous with a reason and details", async () => {
    const scorer: Scorer = async (query, { name }) => ({
      score: name === "get_time" ? 0.9 : 0,
      reason: `asked for ${query}`,
      details: { name },
    });
    expect(await runPickTools("now", tools, { scorer })).toEqual([
      { name: "get_time", score: 0.9, reason: "asked for now" },
    ]);
    expect(await runPickTools("now", tools, { scorer, debug: true })).toEqual([
      { name: "get_time", score: 0.9, reason: "asked for now", details: { name: "get_time" } },
    ]);
  });

  it("that returns only a number gets a default reason", async () => {
    const [first] = await runPickTools("", tools, { scorer: byName({ get_time: 0.25 }) });
    expect(first).toEqual({ name: "get_time", score: 0.25, reason: "the scorer returned 0.25" });
  });

  it.each<[string, Scorer, string]>([
    [
      "throws",
      () => {
        throw new Error("no index");
      },
      "the scorer failed: no index",
    ],
    ["rejects", () => Promise.reject(new Error("no network")), "the scorer failed: no network"],
    ["returns NaN", () => Number.NaN, "its score is NaN, which is not a number from 0 to 1"],
    [
      "returns infinity",
      () => Number.POSITIVE_INFINITY,
      "its score is Infinity, which is not a number from 0 to 1",
    ],
    ["returns more than one", async () => 1.01, "its score is 1.01, which is not a number from 0 to 1"],
    [
      "returns less than zero",
      () => ({ score: -0.1, reason: "" }),
      "its score is -0.1, which is not a number from 0 to 1",
    ],
    ["returns a string", () => "0.5" as never, "its score is undefined, which is not a number from 0 to 1"],
    ["returns null", () => null as never, "the scorer failed"],
    ["resolves to undefined", async () => undefined as never, "the scorer failed"],
  ])("that %s for one tool excludes only that tool", async (_, broken, why) => {
    const passedOver: RejectedTool[] = [];
    const scorer: Scorer = (query, spec) => (spec.name === "get_time" ? broken(query, spec) : 0.5);
    const picked = await runPickTools("", tools, {
      scorer,
      maxCandidates: 9,
      debug: (one) => passedOver.push(one),
    });
    expect(namesOf(picked)).toEqual(["get_weather", "send_mail", "list_mails", "search_mail"]);
    expect(passedOver).toEqual([{ name: "get_time", why: expect.stringContaining(why) }]);
  });

  it("that fails for every tool leaves registration order and reports the reason", async () => {
    const picked = await runPickTools("mail", tools, {
      scorer: () => Promise.reject(new Error("no network")),
    });
    expect(namesOf(picked)).toEqual(namesOf(tools).slice(0, 3));
    expect(picked[0]).toMatchObject({
      score: 0,
      reason: "the scorer failed: no network; in the order of registration",
    });
  });

  it("scores at most sixteen tools concurrently", async () => {
    let open = 0;
    let most = 0;
    const scorer: Scorer = async () => {
      most = Math.max(most, ++open);
      await Promise.resolve();
      open--;
      return 1;
    };
    await runPickTools(
      "",
      Array.from({ length: 50 }, (_, index) => specOf(`t${index}`)),
      { scorer },
    );
    expect(most).toBe(16);
  });
});

test("a slow scorer falls back to the first tools in registration order", async () => {
  const picked = await runWithTestClock(slowly(["mail"], tools, { timeoutMs: 500, maxCandidates: 2 }));
  const reason = "not scored within 500 ms: in the order of registration";
  expect(picked).toEqual([
    { name: "get_weather", score: 0, reason },
    { name: "get_time", score: 0, reason },
  ]);
});

test("a scorer is not called for more tools after the timeout", async () => {
  const asked: string[] = [];
  const many = Array.from({ length: 40 }, (_, index) => specOf(`t${index}`));
  const scorer: Scorer = (_, { name }) => {
    asked.push(name);
    return new Promise(() => {});
  };
  await runWithTestClock(slowly([""], many, { timeoutMs: 5, scorer }));
  expect(asked).toHaveLength(16);
});

test("a result within the timeout does not depend on the clock", async () => {
  expect(namesOf(await runPickTools("weather", tools, { timeoutMs: 60_000 }))).toEqual(["get_weather"]);
});

describe("invalid arguments", () => {
  it.each<[string, PickOptions]>([
    ["maxCandidates is 0", { maxCandidates: 0 }],
    ["maxCandidates is NaN", { maxCandidates: Number.NaN }],
    ["maxCandidates is 1.5", { maxCandidates: 1.5 }],
    ["minScore is NaN", { minScore: Number.NaN }],
    ["minScore is 1.1", { minScore: 1.1 }],
    ["minScore is -1", { minScore: -1 }],
    ["minScore is string", { minScore: "0.5" as never }],
    ["timeoutMs is 0", { timeoutMs: 0 }],
    ["timeoutMs is Infinity", { timeoutMs: Number.POSITIVE_INFINITY }],
    ["scorer is of type string", { scorer: "bm25" as never }],
    ["allowUnsafe is of type string", { allowUnsafe: "no" as never }],
    ["debug is of type number", { debug: 1 as never }],
    ["unknown option `limit`", { limit: 3 } as never],
    ["options must be an object", null as never],
  ])("are rejected with an explanation: %s", async (message, options) => {
    const picking = runPickTools("weather", tools, options);
    await expect(picking).rejects.toThrow(ConfigurationError);
    await expect(picking).rejects.toThrow(message);
  });

  it.each<[string, unknown, unknown]>([
    ["the query is of type undefined", undefined, tools],
    ["the query is of type bigint", 1n, tools],
    ["tools must be an array", "weather", { get_weather: 1 }],
    ["tools[1] is not a tool, a class with @Tool or a spec", "weather", [tools[0], "get_time"]],
    ["tools[0] is not a tool, a class with @Tool or a spec", "weather", [null]],
  ])("are rejected with the position: %s", async (message, query, given) => {
    await expect(runPickTools(query, given as never)).rejects.toThrow(message);
  });
});

test("the same input gives the same result and is not changed", async () => {
  const scored = fc.record({ name: fc.string(), score: fc.double({ noDefaultInfinity: true }) });
  await fc.assert(
    fc.asyncProperty(fc.string(), fc.array(scored), async (query, given) => {
      const specs = given.map(({ name }) => specOf("x", { name }));
      const before = structuredClone(specs);
      const scores = new Map(specs.map((spec, index) => [spec, given[index]?.score ?? 0]));
      const scorer: Scorer = (_, spec) => scores.get(spec) ?? 0;
      const options: PickOptions = Object.freeze({ scorer, maxCandidates: 2 });
      const picked = await runPickTools(query, Object.freeze([...specs]), options);
      expect(await runPickTools(query, specs, options)).toEqual(picked);
      expect(specs).toEqual(before);
      expect(Object.isFrozen(picked)).toBe(true);
      const fitting = given.filter(({ score }) => score >= 0.05 && score <= 1);
      expect(picked).toHaveLength(Math.min(2, fitting.length));
      expect(picked.map(({ score }) => score)).toEqual(
        fitting
          .map(({ score }) => score)
          .toSorted((a, b) => b - a)
          .slice(0, 2),
      );
    }),
  );
});

it("classes with @Tool can be picked, and other classes are rejected", async () => {
  class FeedHorse {
    run(): string {
      return "fed";
    }
  }
  const Horse = Tool({ description: "Feeds the horse", parameters: [] })(FeedHorse);
  expect(namesOf(await runPickTools("feed the horse", [Horse]))).toEqual(["FeedHorse"]);
  await expect(runPickTools("feed", [FeedHorse as never])).rejects.toThrow("tools[0] is not a tool");
});

describe("custom ranker", () => {
  const tools = [
    tool({ name: "feed_cat", description: "Feeds the cat", input: { type: "object" }, run: () => 1 }),
    tool({ name: "feed_dog", description: "Feeds the dog", input: { type: "object" }, run: () => 1 }),
  ];
  const names = async (rank: (request: RankRequest) => unknown) =>
    (await runPickTools("feed the cat", tools, { scorer: { name: "own", rank: rank as never } })).map(
      ({ name }) => name,
    );

  it("decides the order", async () => {
    const reversed = async ({ specs }: RankRequest) => ({
      tools: specs.map((spec, at) => ({ spec, score: (at + 1) / 4, reason: "by the test" })),
    });
    expect(await names(reversed)).toEqual(["feed_dog", "feed_cat"]);
  });

  it.each([
    ["undefined", () => undefined],
    ["an empty object", () => ({})],
    ["no list", () => ({ tools: null })],
    ["an entry without a spec", () => ({ tools: [null] })],
    ["a rejection", () => Promise.reject(new Error("down"))],
    [
      "a thrown error",
      () => {
        throw new Error("down");
      },
    ],
  ])("with the result %s falls back to words", async (_, rank) => {
    expect(await names(rank as never)).toEqual(["feed_cat"]);
  });

  it("cannot return unknown tools or duplicates", async () => {
    const ghost = tool({
      name: "ghost",
      description: "Is not there",
      input: { type: "object" },
      run: () => 1,
    }).spec;
    const rank = async ({ specs }: RankRequest) => ({
      tools: [ghost, specs[0]!, specs[0]!].map((spec) => ({ spec, score: 0.9, reason: "by the test" })),
    });
    expect(await names(rank)).toEqual(["feed_cat"]);
  });
});

it("a list with mutable specs is read again", async () => {
  const loose = Object.freeze({
    ...specOf("keep"),
    input: { type: "object", properties: { zebra: { type: "string" } } },
  });
  const list = [loose];
  expect(await runPickTools("zebra", list, { minScore: 0 })).toHaveLength(1);
  (loose.input as { properties: object }).properties = { giraffe: { type: "string" } };
  expect(await runPickTools("zebra", list, { minScore: 0 })).toHaveLength(0);
  expect(await runPickTools("giraffe", list, { minScore: 0 })).toHaveLength(1);
});
