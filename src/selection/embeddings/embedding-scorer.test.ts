import { it as effectIt } from "@effect/vitest";
import * as Effect from "effect/Effect";
import * as Fiber from "effect/Fiber";
import * as TestClock from "effect/testing/TestClock";
import { describe, expect, it } from "vitest";
import { registered } from "../../../test/kit/registered.ts";
import { hashText } from "../../json/hash.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { RankedTool } from "../set-scorer.ts";
import type { Embed } from "./embedder.ts";
import { type EmbeddingScorerOptions, embeddingRanker, embeddingScorer } from "./embedding-scorer.ts";
import type { VectorStore } from "./vector-store.ts";

const specOf = (name: string, description: string): ToolSpec =>
  registered(name, { name, description }).tool.spec;

const dimension = 1024;

/** Words that mean the same have one place in a vector; others fall where their hash says. */
const meanings: Readonly<Record<string, string>> = { automobile: "car", vehicle: "car", rent: "hire" };
const placeOf = (word: string): number =>
  Number.parseInt(hashText(meanings[word] ?? word).slice(0, 8), 16) % dimension;

const vectorOf = (text: string): number[] => {
  const vector = Array.from({ length: dimension }, () => 0);
  for (const word of text.toLowerCase().match(/[a-z]+/g) ?? []) vector[placeOf(word)]! += 1;
  return vector;
};

/** An embedder that says what it was asked. */
const recorded = (answer: Embed = (texts) => Promise.resolve(texts.map(vectorOf))) => {
  const calls: (readonly string[])[] = [];
  const embed: Embed = (texts, signal) => {
    calls.push(texts);
    return answer(texts, signal);
  };
  return { calls, embed, name: "fake" };
};

const hire = specOf("hire_car", "Hire a car for some days");
const bake = specOf("bake_bread", "Bake bread in an oven");
const play = specOf("play_song", "Play a song aloud");
const specs = [bake, hire, play];
const found = (spec: ToolSpec, score: number): RankedTool => ({ spec, score, reason: "shares words" });
const signal = new AbortController().signal;
const namesOf = (ranking: { readonly tools: readonly RankedTool[] }): readonly string[] =>
  ranking.tools.map(({ spec }) => spec.name);
const ask = (options: EmbeddingScorerOptions, query: string, lexical: readonly RankedTool[] = []) =>
  embeddingScorer(options).rank({ query, specs, lexical, limit: 3 }, signal);

describe("ranking with embeddings", () => {
  it("finds a tool that shares no word with the question, and says that it is alike in meaning", async () => {
    const { embed, name } = recorded();
    const ranking = await ask({ embed, name, range: [0, 1] }, "rent automobile");
    expect(ranking.fallback).toBeUndefined();
    expect(ranking.tools[0]).toMatchObject({ spec: hire, reason: "0.82 alike in meaning (fake)" });
    expect(ranking.tools[0]!.score).toBeGreaterThan(0.2);
  });

  it("joins words and meaning: with no weight the words decide, with all of it the meaning does", async () => {
    const lexical = [found(play, 0.8), found(bake, 0.4)];
    const { embed, name } = recorded();
    const options = { embed, name, range: [0, 1] } as const;
    expect(namesOf(await ask({ ...options, weight: 0 }, "rent automobile", lexical))).toEqual([
      "play_song",
      "bake_bread",
    ]);
    expect(namesOf(await ask({ ...options, weight: 1 }, "rent automobile", lexical))[0]).toBe("hire_car");
    const joined = await ask({ ...options, weight: 0.5 }, "rent automobile", lexical);
    expect(namesOf(joined)).toEqual(["play_song", "hire_car", "bake_bread"]);
    expect(joined.tools[0]!.reason).toContain("shares words; ");
  });

  it("gives scores within 0 and 1 that never rise, and equals in the order of the tools", async () => {
    const { embed, name } = recorded(async (texts) => texts.map(() => [1, 1]));
    const { tools } = await ask({ embed, name }, "anything", [found(play, 0.9)]);
    expect(tools.map(({ spec }) => spec.name)).toEqual(["play_song", "bake_bread", "hire_car"]);
    const scores = tools.map(({ score }) => score);
    expect(scores).toEqual(scores.toSorted((one, other) => other - one));
    expect(Math.max(...scores)).toBeLessThanOrEqual(1);
    expect(tools[1]!.score).toBe(tools[2]!.score);
  });

  it("scores the best low when neither words nor meaning fit, and leaves out what fits nothing", async () => {
    const { embed, name } = recorded(async (texts) =>
      texts.map((text) => (text.startsWith("bake") ? [1, 0.1] : [0, 1])),
    );
    const far = await ask({ embed, name, range: [0, 1] }, "unheard of", []);
    expect(far.tools.find(({ spec }) => spec === bake)!.score).toBeLessThan(0.1);
    const none = await ask({ embed: async (texts) => texts.map((_, at) => [at % 2, 0]), name }, "x y");
    expect(none.tools).toEqual([]);
  });

  it("takes each wish of a question by itself, all of them in one call", async () => {
    const { embed, name, calls } = recorded();
    const query = "play me a song and then bake some bread";
    const { tools } = await ask({ embed, name, range: [0, 1] }, query);
    expect(namesOf({ tools }).slice(0, 2).sort()).toEqual(["bake_bread", "play_song"]);
    expect(calls[0]).toEqual([query, "play me a song", "bake some bread"]);
  });

  it("answers a blank question, no tools and no places by words, and asks no embedder", async () => {
    const { embed, name, calls } = recorded();
    const scorer = embeddingScorer({ embed, name });
    const lexical = [found(bake, 0.5)];
    expect(await scorer.rank({ query: " \n", specs, lexical, limit: 3 }, signal)).toEqual({ tools: lexical });
    expect(await scorer.rank({ query: "bread", specs: [], lexical: [], limit: 3 }, signal)).toEqual({
      tools: [],
    });
    expect(await scorer.rank({ query: "bread", specs, lexical, limit: 0 }, signal)).toEqual({ tools: [] });
    expect(calls).toEqual([]);
  });

  it("gives the embedder no more than two thousand characters and no half of a pair", async () => {
    const { embed, name, calls } = recorded();
    await ask({ embed, name }, `${"x".repeat(1999)}😀${"y".repeat(1_000_000)}`);
    expect(calls.flat().every((text) => text.length <= 2000 && text.isWellFormed())).toBe(true);
  });
});

describe("vectors of tools", () => {
  it("are computed once, in as few calls as the batch allows, and for new tools only", async () => {
    const { embed, name, calls } = recorded();
    const scorer = embeddingScorer({ embed, name, batchSize: 2 });
    await scorer.prepare(specs);
    expect(calls.map((texts) => texts.length)).toEqual([2, 1]);
    const request = { query: "bread", lexical: [], limit: 3 };
    await scorer.rank({ ...request, specs }, signal);
    const extra = specOf("sail_boat", "Sail a boat");
    await scorer.rank({ ...request, specs: [...specs, extra] }, signal);
    expect(calls.slice(2)).toEqual([["bread"], ["sail boat. Sail a boat"]]);
  });

  it("belong to the definition: the same under another object is known, a changed description is not", async () => {
    const { embed, name, calls } = recorded();
    const scorer = embeddingScorer({ embed, name });
    await scorer.prepare([bake]);
    await scorer.prepare([{ ...bake }]);
    expect(calls).toHaveLength(1);
    const changing = { ...bake, description: "Bake cake" };
    await scorer.prepare([changing]);
    changing.description = "Bake pies";
    await scorer.prepare([changing]);
    expect(calls.slice(1)).toEqual([["bake bread. Bake cake"], ["bake bread. Bake pies"]]);
  });

  it("are asked for once when questions come at the same time", async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const { embed, name, calls } = recorded(async (texts) => {
      if (texts.length > 1) await gate;
      return texts.map(vectorOf);
    });
    const scorer = embeddingScorer({ embed, name });
    const rank = (query: string) => scorer.rank({ query, specs, lexical: [], limit: 1 }, signal);
    const answers = Promise.all([rank("bread"), rank("song"), scorer.prepare(specs)]);
    release();
    const [bread, song] = await answers;
    expect([namesOf(bread), namesOf(song)]).toEqual([["bake_bread"], ["play_song"]]);
    expect(calls.filter((texts) => texts.length === 3)).toHaveLength(1);
    expect(calls).toHaveLength(3);
  });

  it("of tools that are gone are forgotten beyond the bound, and those in use never", async () => {
    const { embed, name, calls } = recorded();
    const scorer = embeddingScorer({ embed, name, maxVectors: 1 });
    const fresh = () => specs.map((spec) => ({ ...spec }));
    await scorer.prepare(fresh());
    await scorer.prepare(fresh());
    expect(calls).toHaveLength(1);
    await scorer.prepare([specOf("one", "One")]);
    await scorer.prepare(fresh());
    expect(calls.at(-1)).toHaveLength(3);
  });
});

describe("an embedder that fails", () => {
  const lexical = [found(bake, 0.5), found(play, 0.2)];
  const faulty: readonly (readonly [string, Embed, string])[] = [
    [
      "throws",
      () => {
        throw new Error("no socket");
      },
      "the embedder fake failed: no socket",
    ],
    ["rejects", () => Promise.reject(new Error("quota")), "the embedder fake failed: quota"],
    ["gives too few", async () => [], "gave 0 vectors for 1 texts"],
    ["gives no list", async () => null as never, "gave object instead of a list of vectors"],
    ["gives texts", async (texts) => texts as never, "gave no list of numbers for text 1"],
    [
      "gives NaN",
      async (texts) => texts.map(() => [1, Number.NaN]),
      "gave NaN as number 2 of the vector for text 1",
    ],
    ["gives nothing in a vector", async (texts) => texts.map(() => []), "gave no list of numbers for text 1"],
    [
      "changes its dimension",
      async (texts) => texts.map(() => (texts.length === 1 ? [1, 2] : [1, 2, 3])),
      "gave 3 numbers for text 1, where its other vectors have 2",
    ],
  ];

  it.each(faulty)(
    "costs no answer when it %s: the words decide, and the reason says why",
    async (_, embed, why) => {
      const ranking = await ask({ embed, name: "fake" }, "bread", lexical);
      expect(namesOf(ranking)).toEqual(["bake_bread", "play_song"]);
      expect(ranking.tools.map(({ score }) => score)).toEqual([0.5, 0.2]);
      expect(ranking.fallback).toContain(why);
      expect(ranking.tools[0]!.reason).toContain(`shares words (by words alone: `);
    },
  );

  it("is asked again with the next question, and everybody who waited heard of the failure", async () => {
    let broken = true;
    const { embed, name } = recorded(async (texts) => {
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

  effectIt.effect("and one that is slow leaves the question to the words, and is done for the next", () =>
    Effect.gen(function* () {
      let release = (): void => undefined;
      const gate = new Promise<void>((resolve) => {
        release = resolve;
      });
      let begin = (): void => undefined;
      const begun = new Promise<void>((resolve) => {
        begin = resolve;
      });
      const { embed, name, calls } = recorded(async (texts) => {
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
      expect(namesOf(late)).toEqual(["bake_bread", "play_song"]);
      release();
      yield* prepare(specs);
      expect((yield* rank(request)).fallback).toBeUndefined();
      expect(calls).toHaveLength(2);
    }),
  );
});

describe("a store of vectors", () => {
  const memory = (kept = new Map<string, Float32Array>()): VectorStore & { readonly kept: typeof kept } => ({
    kept,
    get: async (keys) =>
      new Map(keys.flatMap((key) => (kept.has(key) ? [[key, kept.get(key)!] as const] : []))),
    set: async (entries) => {
      for (const [key, vector] of entries) kept.set(key, vector);
    },
  });

  it("spares the next process the tools, and never learns the questions", async () => {
    const cache = memory();
    const first = recorded();
    await ask({ ...pick(first), cache }, "some private bread");
    expect(cache.kept.size).toBe(3);
    const second = recorded();
    await ask({ ...pick(second), cache }, "bread");
    expect(second.calls).toEqual([["bread"]]);
  });

  it("keeps the vectors of one embedder from another", async () => {
    const cache = memory();
    await ask({ ...pick(recorded()), cache }, "bread");
    const other = recorded();
    await ask({ ...pick(other), name: "other", cache }, "bread");
    expect(other.calls).toHaveLength(2);
  });

  const broken: readonly (readonly [string, VectorStore["get"]])[] = [
    ["fails", () => Promise.reject(new Error("disk"))],
    [
      "gives vectors of another dimension",
      async (keys) => new Map(keys.map((key) => [key, new Float32Array(3)])),
    ],
    [
      "gives NaN",
      async (keys) => new Map(keys.map((key) => [key, new Float32Array(dimension).fill(Number.NaN)])),
    ],
    ["gives what is no vector", async (keys) => new Map(keys.map((key) => [key, "0101" as never]))],
  ];
  it.each(broken)("that %s has its vectors computed again", async (_, get) => {
    const fake = recorded();
    const cache = { get, set: () => Promise.reject(new Error("full")) };
    const ranking = await ask({ ...pick(fake), cache, range: [0, 1] }, "song");
    expect(ranking.fallback).toBeUndefined();
    expect(namesOf(ranking)[0]).toBe("play_song");
    expect(fake.calls[1]).toHaveLength(3);
  });

  const pick = ({ embed, name }: { readonly embed: Embed; readonly name: string }) => ({ embed, name });
});

describe("what embeddingScorer is given", () => {
  it.each([
    [{ name: "" }, "`name`"],
    [{ embed: "x" }, "`embed`"],
    [{ weight: 2 }, "`weight`"],
    [{ range: [1, 0] }, "`range`"],
    [{ cache: {} }, "`cache`"],
    [{ batchSize: 0 }, "`batchSize`"],
    [{ maxVectors: -1 }, "`maxVectors`"],
    [{ timeoutMs: 0 }, "`timeoutMs`"],
    [{ weigth: 1 }, "`weigth`"],
  ])("%j is refused by name", (wrong, says) => {
    expect(() => embeddingScorer({ name: "fake", embed: async () => [], ...wrong } as never)).toThrow(says);
  });
});
