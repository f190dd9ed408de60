import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pickTools, workspace } from "haft";
import { type ToolRanker, usageScorer } from "haft/selection";
import { afterAll, describe, expect, it } from "vitest";
import {
  legacyTool,
  openWithTools,
  parcelQuestion,
  parcels,
  pickedNames,
  runQuestions,
  weatherTool,
} from "../../../../test/kit/usage-scene.ts";

const folder = mkdtempSync(join(tmpdir(), "haft-usage-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

const ledgers = {
  memory: () => ({}),
  SQLite: () => ({ ledger: `sqlite:${join(folder, `${++count}.db`)}` }),
} as const;
let count = 0;

describe.each(Object.keys(ledgers) as (keyof typeof ledgers)[])("usageScorer with a ledger in %s", (kind) => {
  it("raises a tool without shared words after two runs with similar questions used it", async () => {
    await using haft = await openWithTools(ledgers[kind]());
    const scorer = usageScorer(haft);
    expect(await haft.pick(parcelQuestion, { scorer })).toEqual([]);
    await runQuestions(haft, parcels.slice(0, 1));
    expect(await haft.pick(parcelQuestion, { scorer })).toEqual([]);
    await runQuestions(haft, parcels.slice(1));
    const [best, ...others] = await haft.pick(parcelQuestion, { scorer, debug: true });
    expect(others).toEqual([]);
    expect(best).toMatchObject({
      name: "zx_lookup",
      reason: 'answered "Where is my parcel 4711?" before, and 1 like it',
      details: { words: 0, usage: { questions: 2 } },
    });
    expect(best!.score).toBeGreaterThan(0.1);
    expect(best!.score).toBeLessThan(0.5);
    expect(await haft.pick("Restart the database", { scorer })).toEqual([]);
  });

  it("uses only runs of the same principal", async () => {
    await using haft = await openWithTools(ledgers[kind]());
    await runQuestions(haft, parcels);
    const bob = haft.as({ agent: "bob", allow: ["*"] });
    expect(await bob.pick(parcelQuestion, { scorer: usageScorer(bob) })).toEqual([]);
    await runQuestions(bob, parcels, "get_weather");
    expect(pickedNames(await bob.pick(parcelQuestion, { scorer: usageScorer(bob) }))).toEqual([
      "get_weather",
    ]);
    expect(pickedNames(await haft.pick(parcelQuestion, { scorer: usageScorer(haft) }))).toEqual([
      "zx_lookup",
    ]);
  });

  it("masks secrets in questions", async () => {
    await using haft = await openWithTools(ledgers[kind]());
    const scorer = usageScorer(haft);
    await runQuestions(haft, ["Parcel arrived? password=hunter2", "Parcel arrived, password=hunter2"]);
    const [best] = await haft.pick("Parcel arrived?", { scorer });
    expect(best?.reason).toContain("[redacted]");
    expect(best?.reason).not.toContain("hunter2");
  });
});

it("usageScorer reads runs of an earlier process and tools with full names", async () => {
  const ledger = `sqlite:${join(folder, "kept.db")}`;
  const org = workspace().toolbox("post").add(legacyTool).build();
  const first = await openWithTools({ tools: [weatherTool], org, ledger });
  await runQuestions(first, parcels, "org__post__zx_lookup");
  await first.close();
  await using second = await openWithTools({ tools: [weatherTool], org, ledger });
  const scorer = usageScorer(second);
  await scorer.prepare();
  expect(pickedNames(await second.pick(parcelQuestion, { scorer }))).toEqual(["org__post__zx_lookup"]);
});

describe("usageScorer score", () => {
  it("is not lower than before, and certain word matches stay before tools with only usage", async () => {
    await using haft = await openWithTools();
    const scorer = usageScorer(haft);
    const question = "Get the weather of the city Rome";
    const [before] = await haft.pick(question);
    expect(before!.score).toBeGreaterThan(0.5);
    for (let i = 0; i < 12; i++) await runQuestions(haft, [question]);
    const [best, next] = await haft.pick(question, { scorer });
    expect([best?.name, next?.name]).toEqual(["get_weather", "zx_lookup"]);
    expect(best).toEqual(before);
    expect(next!.score).toBeLessThan(0.5);
  });

  it("is higher with words and usage, and the reason contains both", async () => {
    await using haft = await openWithTools();
    const question = "Tell the weather of Rome";
    const [before] = await haft.pick(question);
    await runQuestions(haft, [question, "Tell the weather of Paris"], "get_weather");
    const [best] = await haft.pick(question, { scorer: usageScorer(haft) });
    expect(best!.score).toBeGreaterThan(before!.score);
    expect(best!.score).toBeLessThanOrEqual(1);
    expect(best!.reason).toBe(`${before!.reason}; answered "Tell the weather of Rome" before, and 1 like it`);
  });

  it("rises with more similar questions, and one different run changes nothing", async () => {
    await using haft = await openWithTools();
    const scorer = usageScorer(haft);
    await runQuestions(haft, parcels);
    const [two] = await haft.pick(parcelQuestion, { scorer });
    await runQuestions(haft, parcels);
    const [four] = await haft.pick(parcelQuestion, { scorer });
    expect(four!.score).toBeGreaterThan(two!.score);
    await runQuestions(haft, ["Where is the parcel?"], "get_weather");
    expect(pickedNames(await haft.pick(parcelQuestion, { scorer }))).toEqual(["zx_lookup"]);
  });

  it("is the same for the same runs", async () => {
    await using haft = await openWithTools();
    await runQuestions(haft, parcels);
    await runQuestions(haft, parcels, "get_weather");
    const one = await haft.pick(parcelQuestion, { scorer: usageScorer(haft), debug: true });
    const other = await haft.pick(parcelQuestion, { scorer: usageScorer(haft), debug: true });
    expect(one).toHaveLength(2);
    expect(other).toEqual(one);
  });
});

it("note records tools for a question and masks secrets", async () => {
  await using haft = await openWithTools();
  const scorer = usageScorer(haft);
  scorer.note("Parcel arrived? api_key=abcdef", ["zx_lookup"]);
  expect(await haft.pick("Parcel arrived?", { scorer })).toEqual([]);
  scorer.note("Parcel arrived?\nAnd what\u200b does it hold", ["zx_lookup", "zx_lookup"]);
  scorer.note("Parcel arrived? api_key=abcdef", ["zx_lookup"]);
  const [best] = await haft.pick("Parcel arrived, api key", { scorer });
  expect(best?.name).toBe("zx_lookup");
  expect(best?.reason).toBe('answered "Parcel arrived? api_key=[redacted]" before, and 2 like it');
  expect(() => scorer.note(7 as never, [])).toThrow(/note/);
  expect(() => scorer.note("x", "zx_lookup" as never)).toThrow(/list of names/);
});

describe("usageScorer over another scorer", () => {
  const other: ToolRanker = {
    name: "other",
    rank: async ({ specs, limit }) => ({
      tools: specs
        .filter(({ name }) => name === "read_letters")
        .map((spec) => ({ spec, score: 0.9, reason: "other says so" }))
        .slice(0, limit),
    }),
  };

  it("raises tools that the other scorer ranked or omitted", async () => {
    await using haft = await openWithTools();
    await runQuestions(haft, parcels);
    const scorer = usageScorer(haft, { over: other });
    expect(scorer.name).toBe("usage over other");
    expect(pickedNames(await haft.pick(parcelQuestion, { scorer }))).toEqual(["read_letters", "zx_lookup"]);
  });

  it("falls back to words and usage when the other scorer fails", async () => {
    await using haft = await openWithTools();
    await runQuestions(haft, parcels);
    const over = { name: "other", rank: () => Promise.reject(new Error("down")) };
    const scorer = usageScorer(haft, { over });
    const request = { query: parcelQuestion, specs: [legacyTool.spec], lexical: [], limit: 3 };
    const ranking = await scorer.rank(request, new AbortController().signal);
    expect(ranking.fallback).toBe("the scorer other failed: down");
    expect(ranking.tools.map(({ spec }) => spec.name)).toEqual(["zx_lookup"]);
  });
});

describe("usageScorer with an unreadable ledger", () => {
  it("falls back to words with the reason", async () => {
    const haft = await openWithTools(ledgers.SQLite());
    const scorer = usageScorer(haft);
    const { specs } = haft.offer().offer;
    await haft.close();
    const [best] = await pickTools("Tell the weather", specs, { scorer });
    expect(best?.name).toBe("get_weather");
    expect(best?.reason).toMatch(/\(without what was used before: the ledger cannot be read: .+\)$/);
    await expect(scorer.prepare()).rejects.toThrow();
  });

  it("falls back after its timeout", async () => {
    const never = { runs: () => new Promise<never>(() => {}), log: async () => [] };
    const scorer = usageScorer(never, { timeoutMs: 1 });
    const request = { query: parcelQuestion, specs: [], lexical: [], limit: 3 };
    const { fallback } = await scorer.rank(request, new AbortController().signal);
    expect(fallback).toBe("reading the ledger took longer than 1 ms");
  });
});

it.each([
  [{ most: 0 }, /most/],
  [{ weight: 2 }, /weight/],
  [{ over: () => 1 }, /over/],
  [{ timeoutMs: 0 }, /timeoutMs/],
  [{ odd: 1 }, /odd/],
])("usageScorer rejects the options %j", async (options, why) => {
  await using haft = await openWithTools();
  expect(() => usageScorer(haft, options as never)).toThrow(why);
});

it("usageScorer rejects a value that is not a runtime", () => {
  expect(() => usageScorer({} as never)).toThrow(/must be a Haft/);
});
