import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { agent, Haft, tool } from "haft";
import { describe, expect, it } from "vitest";
import type { ExperimentOptions } from "../src/agent/experiments/options.ts";
import { experiment, runExperiment } from "../src/agent/experiments/run-experiment.ts";
import type { Model, ModelReply, ModelRequest } from "../src/types/model.ts";
import {
  type ArmBehavior,
  answeringAgent,
  sampleQuestions,
  simulateExperiment,
} from "./kit/simulated-experiment.ts";

const price = { inputPerMillion: 3, outputPerMillion: 15 };

const conduct = (
  seed: number,
  natures: Readonly<Record<string, ArmBehavior>>,
  more: Partial<ExperimentOptions> = {},
) => {
  const { clock, arms, run } = simulateExperiment(seed, natures);
  const options = {
    agent: answeringAgent,
    arms,
    run,
    inputs: sampleQuestions(20),
    runs: 5,
    seed,
    price,
    ...more,
  };
  return Effect.runPromise(Effect.provideService(runExperiment(options), Clock.Clock, clock));
};

describe("a known difference", () => {
  const natures = { a: { rightness: 0.95 }, b: { pace: 0.7, rightness: 0.65 } };

  it("is found when one arm is 30 % faster and the other succeeds more often", async () => {
    for (let seed = 1; seed <= 10; seed++) {
      const { verdict, comparisons } = await conduct(seed, natures);
      const of = (name: string) => comparisons[0]!.differences.find(({ metric }) => metric === name)!;
      expect(verdict).toMatch(/A succeeds more often by \d+–\d+ percentage points/);
      expect(verdict).toMatch(/B is faster by \d+–\d+ %/);
      expect(of("latency")).toMatchObject({ conclusion: "difference", better: "b" });
      expect(of("success")).toMatchObject({ conclusion: "difference", better: "a" });
    }
  });

  it("is estimated by an interval that contains the true value", async () => {
    let held = 0;
    for (let seed = 1; seed <= 20; seed++) {
      const { comparisons } = await conduct(seed, natures);
      const { low, high } = comparisons[0]!.differences.find(({ metric }) => metric === "latency")!;
      if (low! <= -0.3 && high! >= -0.3) held += 1;
    }
    expect(held).toBeGreaterThanOrEqual(17);
  });

  it("is reported for each further arm against the first", async () => {
    const { verdict, comparisons } = await conduct(3, { ...natures, "small model": { tokens: 0.4 } });
    expect(comparisons.map(({ baseline, arm }) => [baseline, arm])).toEqual([
      ["a", "b"],
      ["a", "small model"],
    ]);
    expect(verdict).toContain("B against A: A succeeds more often");
    expect(verdict).toMatch(/small model against A: .*small model uses \d+–\d+ % fewer tokens/);
  });
});

describe("equal arms", () => {
  const [count, most] = process.env.HAFT_SOAK === "1" ? [2_000, 130] : [200, 17];

  it(`in ${count} experiments, at most ${most} report any difference, all metrics together`, async () => {
    const wrong: number[] = [];
    for (let seed = 1; seed <= count; seed++) {
      const size = { inputs: sampleQuestions(10 + (seed % 21)), runs: 1 + (seed % 3) };
      const { comparisons } = await conduct(seed, { a: {}, b: {} }, size);
      const { differences } = comparisons[0]!;
      if (differences.some(({ conclusion }) => conclusion === "difference")) wrong.push(seed);
      for (const { conclusion, low, high } of differences) {
        expect(conclusion === "difference").toBe(low! > 0 || high! < 0);
      }
    }
    // Zero would mean that the test cannot find anything.
    expect(wrong.length).toBeGreaterThan(0);
    expect(wrong.length, `seeds ${wrong.join(", ")}`).toBeLessThanOrEqual(most);
  }, 300_000);
});

/** Looks a number up with a tool and answers with the result. */
const lookingUp: Model = {
  id: "test/looks-up",
  generate: ({ messages }: ModelRequest): Promise<ModelReply> => {
    const last = messages.at(-1)!;
    const usage = { inputTokens: 20, outputTokens: 5 };
    if (last.role === "tool")
      return Promise.resolve({ text: last.content, calls: [], usage, finish: "stop" });
    const input = JSON.stringify({ question: last.content });
    const calls = [{ id: "call-1", tool: "look_up", input }];
    return Promise.resolve({ text: "", calls, usage, finish: "calls" });
  },
  stream: () => {
    throw new Error("not streamed");
  },
};

it("compares two libraries of a real agent", async () => {
  const lookUp = tool({
    name: "look_up",
    description: "Looks something up",
    input: { type: "object", properties: { question: { type: "string" } }, required: ["question"] },
    annotations: { readOnly: true },
    run: () => "unused",
  });
  const haft = await Haft.open({ principal: { agent: "tester", allow: ["*"] } });
  const seen: number[] = [];
  const result = await experiment({
    agent: agent({ name: "clerk", instructions: "Look it up.", model: lookingUp, tools: [lookUp.spec] }),
    arms: {
      old: {
        look_up: () => {
          throw new Error("the index is gone");
        },
      },
      new: { look_up: ({ question }: { question: string }) => `Found: ${question}` },
    } as ExperimentOptions["arms"],
    inputs: sampleQuestions(8),
    run: (...asked) => haft.run(...asked),
    measure: ({ content }, { input }) => ({ success: content.includes(`Found: ${input}`) }),
    onProgress: ({ done }) => seen.push(done),
  });
  expect(result.verdict).toContain("new succeeds more often by 38–100 percentage points");
  expect(result.verdict).toContain("new has 0.4–1.0 fewer failed tool calls per run");
  expect(result.arms.map(({ tools }) => tools)).toEqual([
    [{ name: "look_up", calls: 8, failures: 8, callsPerRun: 1 }],
    [{ name: "look_up", calls: 8, failures: 0, callsPerRun: 1 }],
  ]);
  expect(seen.at(-1)).toBe(16);
  await haft.close();
});
