import { it as effectIt } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import {
  bakeBread,
  hireCar,
  playSong,
  rankedNames,
  rankedTool,
  rankWithEmbedder,
  recordingEmbedder,
  signal,
  specs,
  vectorOf,
} from "../../../../test/kit/fake-embedder.ts";
import { testRegistration } from "../../../../test/kit/test-registration.ts";
import { ConfigurationError } from "../../../types/errors.ts";
import type { Embed } from "./embedder.ts";
import { embeddingRanker, embeddingScorer } from "./embedding-scorer.ts";

describe("embeddingScorer", () => {
  it("finds a tool with no shared words and gives similarity as the reason", async () => {
    const { embed, name } = recordingEmbedder();
    const ranking = await rankWithEmbedder({ embed, name, range: [0, 1] }, "rent automobile");
    expect(ranking.fallback).toBeUndefined();
    expect(ranking.tools[0]).toMatchObject({ spec: hireCar, reason: "0.82 similar in meaning (fake)" });
    expect(ranking.tools[0]!.score).toBeGreaterThan(0.2);
  });

  it("combines words and similarity by weight", async () => {
    const lexical = [rankedTool(playSong, 0.8), rankedTool(bakeBread, 0.4)];
    const { embed, name } = recordingEmbedder();
    const options = { embed, name, range: [0, 1] } as const;
    expect(
      rankedNames(await rankWithEmbedder({ ...options, weight: 0 }, "rent automobile", lexical)),
    ).toEqual(["play_song", "bake_bread"]);
    expect(
      rankedNames(await rankWithEmbedder({ ...options, weight: 1 }, "rent automobile", lexical))[0],
    ).toBe("hire_car");
    const joined = await rankWithEmbedder({ ...options, weight: 0.5 }, "rent automobile", lexical);
    expect(rankedNames(joined)).toEqual(["play_song", "hire_car", "bake_bread"]);
    expect(joined.tools[0]!.reason).toContain("shares words; ");
  });

  it("returns scores from 0 to 1 in descending order and equal scores in tool order", async () => {
    const { embed, name } = recordingEmbedder(async (texts) => texts.map(() => [1, 1]));
    const { tools } = await rankWithEmbedder({ embed, name }, "anything", [rankedTool(playSong, 0.9)]);
    expect(tools.map(({ spec }) => spec.name)).toEqual(["play_song", "bake_bread", "hire_car"]);
    const scores = tools.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(Math.max(...scores)).toBeLessThanOrEqual(1);
    expect(tools[1]!.score).toBe(tools[2]!.score);
  });

  it("limits cosines of equal vectors to one despite rounding", async () => {
    const { tools } = await rankWithEmbedder(
      { name: "fake", embed: async (texts) => texts.map(() => [1, 3]) },
      "any",
    );
    expect(tools.map(({ details }) => (details as { cosine: number }).cosine)).toEqual([1, 1, 1]);
  });

  it("scores a weak best match low and omits tools without a match", async () => {
    const { embed, name } = recordingEmbedder(async (texts) =>
      texts.map((text) => (text.startsWith("bake") ? [1, 0.1] : [0, 1])),
    );
    const far = await rankWithEmbedder({ embed, name, range: [0, 1] }, "unheard of", []);
    expect(far.tools.find(({ spec }) => spec === bakeBread)!.score).toBeLessThan(0.1);
    const none = await rankWithEmbedder(
      { embed: async (texts) => texts.map((_, at) => [at % 2, 0]), name },
      "x y",
    );
    expect(none.tools).toEqual([]);
  });

  it("embeds each intent of a query in one call", async () => {
    const { embed, name, calls } = recordingEmbedder();
    const query = "play me a song and then bake some bread";
    const { tools } = await rankWithEmbedder({ embed, name, range: [0, 1] }, query);
    expect(rankedNames({ tools }).slice(0, 2).sort()).toEqual(["bake_bread", "play_song"]);
    expect(calls[0]).toEqual([query, "play me a song", "bake some bread"]);
  });

  it("answers a blank query, no tools and limit 0 without the embedder", async () => {
    const { embed, name, calls } = recordingEmbedder();
    const scorer = embeddingScorer({ embed, name });
    const lexical = [rankedTool(bakeBread, 0.5)];
    expect(await scorer.rank({ query: " \n", specs, lexical, limit: 3 }, signal)).toEqual({ tools: lexical });
    expect(await scorer.rank({ query: "bread", specs: [], lexical: [], limit: 3 }, signal)).toEqual({
      tools: [],
    });
    expect(await scorer.rank({ query: "bread", specs, lexical, limit: 0 }, signal)).toEqual({ tools: [] });
    expect(calls).toEqual([]);
  });

  it("limits texts for the embedder to two thousand characters without splitting a surrogate pair", async () => {
    const { embed, name, calls } = recordingEmbedder();
    await rankWithEmbedder({ embed, name }, `${"x".repeat(1999)}😀${"y".repeat(1_000_000)}`);
    expect(calls.flat().every((text) => text.length <= 2000 && text.isWellFormed())).toBe(true);
  });
});

describe("failing embedder", () => {
  const lexical = [rankedTool(bakeBread, 0.5), rankedTool(playSong, 0.2)];
  const faulty: readonly (readonly [string, Embed, string])[] = [
    [
      "throws",
      () => {
        throw new Error("no socket");
      },
      "the embedder fake failed: no socket",
    ],
    ["rejects", () => Promise.reject(new Error("quota")), "the embedder fake failed: quota"],
    ["returns too few vectors", async () => [], "returned 0 vectors for 1 texts"],
    ["returns no list", async () => null as never, "returned object instead of a list of vectors"],
    ["returns texts", async (texts) => texts as never, "returned no list of numbers for text 1"],
    [
      "returns NaN",
      async (texts) => texts.map(() => [1, Number.NaN]),
      "returned NaN as number 2 of the vector for text 1",
    ],
    [
      "returns numbers that are too large",
      async (texts) => texts.map(() => [1e300, 1e300]),
      "returned numbers too large or too small to measure in the vector for text 1",
    ],
    [
      "returns numbers that are too small",
      async (texts) => texts.map(() => [1e-200, 0]),
      "returned numbers too large or too small to measure in the vector for text 1",
    ],
    [
      "returns an empty vector",
      async (texts) => texts.map(() => []),
      "returned no list of numbers for text 1",
    ],
    [
      "returns another dimension",
      async (texts) => texts.map(() => (texts.length === 1 ? [1, 2] : [1, 2, 3])),
      "returned 3 numbers for text 1, but its other vectors have 2",
    ],
  ];

  it.each(faulty)("falls back to words with the reason when it %s", async (_, embed, why) => {
    const ranking = await rankWithEmbedder({ embed, name: "fake" }, "bread", lexical);
    expect(rankedNames(ranking)).toEqual(["bake_bread", "play_song"]);
    expect(ranking.tools.map(({ score }) => score)).toEqual([0.5, 0.2]);
    expect(ranking.fallback).toContain(why);
    expect(ranking.tools[0]!.reason).toContain(`shares words (words only: `);
  });

  it("is called again for the next query, and all waiting calls report the failure", async () => {
    let broken = true;
    const { embed, name } = recordingEmbedder(async (texts) => {
      if (broken && texts.length > 1) throw new Error("down");
      return texts.map(vectorOf);
    });
    const scorer = embeddingScorer({ embed, name });
    const rank = () => scorer.rank({ query: "bread", specs, lexical, limit: 3 }, signal);
    const both = await Promise.all([rank(), rank()]);
    expect(both.map(({ fallback }) => fallback)).toEqual(Array(2).fill("the embedder fake failed: down"));
    await expect(scorer.prepare(specs)).rejects.toThrow("the embedder fake failed: down");
    broken = false;
    expect((await rank()).fallback).toBeUndefined();
  });

  effectIt.effect("falls back to words when slow and is finished for the next query", () =>
    Effect.gen(function* () {
      let release = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      let begin = (): void => undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const { embed, name, calls } = recordingEmbedder(async (texts) => {
        if (texts.length > 1) {
          begin();
          await gate;
        }
        return texts.map(vectorOf);
      });
      const { rank, prepare } = embeddingRanker({ embed, name, timeoutMs: 500 });
      const request = { query: "bread", specs, lexical, limit: 3 };
      const asking = yield* Effect.forkChild(rank(request));
      yield* Effect.promise(() => begun);
      yield* TestClock.adjust(500);
      const late = yield* Fiber.join(asking);
      expect(late.fallback).toBe("the embedder fake took longer than 500 ms");
      expect(rankedNames(late)).toEqual(["bake_bread", "play_song"]);
      release();
      yield* prepare(specs);
      expect((yield* rank(request)).fallback).toBeUndefined();
      expect(calls).toHaveLength(2);
    }),
  );
});

describe("prepare", () => {
  it("accepts whole tools and specs", async () => {
    const { embed, name, calls } = recordingEmbedder();
    const { tool } = testRegistration("bake_bread", {
      name: "bake_bread",
      description: "Bake bread in an oven",
    });
    await embeddingScorer({ embed, name }).prepare([tool, hireCar]);
    expect(calls).toEqual([["bake bread. Bake bread in an oven", "hire car. Hire a car for some days"]]);
  });

  it.each([
    ["undefined", undefined, "prepare requires a list of tools or specs, not undefined"],
    ["a string", "bake", "prepare requires a list of tools or specs, not string"],
    ["a list with null", [null], "entry 0 of the list for prepare is neither a tool nor a spec"],
    ["a list with a hole", Array(1), "entry 0 of the list for prepare is neither a tool nor a spec"],
    [
      "a list with a bare name",
      [bakeBread, { name: "x" }],
      "entry 1 of the list for prepare is neither a tool nor a spec",
    ],
    ["a tool without a spec", [{ spec: null }], "entry 0 of the list for prepare is neither a tool"],
  ])("rejects %s with an explanation", async (_, given, says) => {
    const { embed, name, calls } = recordingEmbedder();
    const refused = await embeddingScorer({ embed, name })
      .prepare(given as never)
      .catch((error: unknown) => error);
    expect(refused).toBeInstanceOf(ConfigurationError);
    expect(refused).toMatchObject({ code: "invalid_config", message: expect.stringContaining(says) });
    expect(calls).toEqual([]);
  });
});

describe("embeddingScorer options", () => {
  it.each([
    [{ name: "" }, "`name`"],
    [{ embed: "x" }, "`embed`"],
    [{ weight: 2 }, "`weight`"],
    [{ range: [1, 0] }, "`range`"],
    [{ cache: {} }, "`cache`"],
    [{ batchSize: 0 }, "`batchSize`"],
    [{ maxVectors: -1 }, "`maxVectors`"],
    [{ timeoutMs: 0 }, "`timeoutMs`"],
    [{ callTimeoutMs: 0 }, "`callTimeoutMs` must"],
    [{ callTimeoutMs: Number.POSITIVE_INFINITY }, "`callTimeoutMs` must"],
    [{ weigth: 1 }, "`weigth`"],
  ])("reject %j by name", (wrong, says) => {
    expect(() => embeddingScorer({ name: "fake", embed: async () => [], ...wrong } as never)).toThrow(says);
  });
});
