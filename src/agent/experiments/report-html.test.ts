import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import fc from "fast-check";
import { beforeAll, expect, it } from "vitest";
import {
  answeringAgent,
  sampleQuestions,
  simulateExperiment,
} from "../../../test/kit/simulated-experiment.ts";
import type { ExperimentResult } from "./experiment-result.ts";
import { toReportHtml } from "./report-html.ts";
import { runExperiment } from "./run-experiment.ts";

let result: ExperimentResult;
const conduct = (count: number, natures: Parameters<typeof simulateExperiment>[1]) => {
  const made = simulateExperiment(2, natures);
  const options = {
    agent: answeringAgent,
    arms: made.arms,
    run: made.run,
    inputs: sampleQuestions(count),
    runs: 4,
  };
  return Effect.runPromise(Effect.provideService(runExperiment(options), Clock.Clock, made.clock));
};

beforeAll(async () => {
  result = await conduct(20, { a: { rightness: 0.95 }, b: { pace: 0.6, rightness: 0.55 } });
});

/** The same result with this text in every place for foreign text. */
const saying = (text: string): ExperimentResult => {
  const renamed = (name: string): string => `${name}${text}`;
  return {
    ...result,
    agent: text,
    inputs: result.inputs.map(({ id }) => ({ id: renamed(id), input: text })),
    arms: result.arms.map((arm) => ({
      ...arm,
      label: renamed(arm.label),
      tools: arm.tools.map((tool) => ({ ...tool, name: renamed(tool.name) })),
      reasons: [{ reason: renamed("r"), runs: 3 }],
    })),
    comparisons: result.comparisons.map((comparison) => ({
      ...comparison,
      differences: comparison.differences.map((difference) => ({
        ...difference,
        label: renamed(difference.label),
        sentence: renamed(difference.sentence),
        pairs: difference.pairs.map((pair) => ({ ...pair, input: renamed(pair.input) })),
      })),
    })),
    runs: result.runs.map((run) => ({
      ...run,
      input: renamed(run.input),
      answer: renamed("a"),
      reason: text,
    })),
  };
};

const count = (html: string, character: string): number => html.split(character).length - 1;

it("contains the verdict and the method", () => {
  const html = toReportHtml(result);
  expect(html).toContain("B is faster by");
  expect(html).toContain("A succeeds more often by");
  expect(html).toContain("How this was measured");
  expect(toReportHtml(result)).toBe(html);
});

it("has no script, no link and no external address", () => {
  const html = toReportHtml(result);
  expect(html).not.toMatch(/<script|https?:|url\(|@import|src=|javascript:/i);
  expect(html.match(/href="[^"]*"/g)).toEqual(['href="data:,"']);
});

it("adds no elements or attributes for foreign text", () => {
  const plain = toReportHtml(saying("x"));
  const hostile = fc.oneof(
    fc.constantFrom(
      "<script>alert(1)</script>",
      '"><img src=x onerror=alert(1)>',
      "'--></style><svg onload=x>",
      "</bdi></title>\u202e\u0000",
      "\ud800",
    ),
    fc.string({ unit: fc.constantFrom(..."<>\"'&;/= a\n\u0000\u202e\ud800"), maxLength: 30 }),
  );
  fc.assert(
    fc.property(hostile, (text) => {
      const html = toReportHtml(saying(text));
      for (const character of ["<", ">", '"']) expect(count(html, character)).toBe(count(plain, character));
      expect(html).not.toContain("\u0000");
      expect(html.isWellFormed()).toBe(true);
    }),
    { numRuns: 40 },
  );
});

it("is a complete page when there is little to show", async () => {
  const few = await conduct(2, { a: {}, b: {} });
  expect(toReportHtml(few)).toContain("Too few inputs to compare");
  const runs = few.runs.map((run) => ({
    ...run,
    success: false,
    status: "threw" as const,
    latencyMs: null,
    usage: null,
    turns: null,
    tools: [],
  }));
  const arms = few.arms.map((arm) => ({ ...arm, successes: 0, metrics: {}, tools: [] }));
  const comparisons = few.comparisons.map((comparison) => ({
    ...comparison,
    differences: comparison.differences.map((each) => ({ ...each, estimate: null, pairs: [] })),
  }));
  const html = toReportHtml({ ...few, runs, arms, comparisons });
  expect(html).toContain("No run completed, so latency was not measured");
  expect(html).toContain("No tool was called");
  expect(html).not.toMatch(/NaN|Infinity|undefined/);
});

it("compares each further arm with the first", async () => {
  const three = await conduct(12, { a: {}, b: {}, "new search": { pace: 0.4 } });
  const html = toReportHtml(three);
  expect(html).toContain("A and B at a glance");
  expect(html).toContain("A and new search at a glance");
  expect(html).not.toMatch(/NaN|Infinity|undefined/);
});
