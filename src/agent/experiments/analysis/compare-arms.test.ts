import { describe, expect, it } from "vitest";
import type { ExperimentRun } from "../experiment-result.ts";
import { compareArms } from "./compare-arms.ts";
import { metricsOf } from "./metrics.ts";
import { pairRuns } from "./pair-runs.ts";

const run = (arm: string, input: string, more: Partial<ExperimentRun> = {}): ExperimentRun => ({
  arm,
  input,
  repetition: 1,
  success: true,
  status: "done",
  latencyMs: 100,
  usage: { inputTokens: 10, outputTokens: 5 },
  turns: 1,
  tools: [],
  scores: {},
  answer: "",
  ...more,
});
const ids = (count: number) => Array.from({ length: count }, (_, index) => `${index}`);
const by = (records: readonly ExperimentRun[]) => Map.groupBy(records, ({ input }) => input);
const metric = (name: string, records: readonly ExperimentRun[] = []) =>
  metricsOf(records, () => 1).find((each) => each.name === name)!;

const compared = (inputs: readonly string[], records: readonly ExperimentRun[], comparisons = 1) =>
  Object.fromEntries(
    compareArms({
      baseline: "a",
      arm: "b",
      inputs,
      metrics: metricsOf(records, undefined),
      runsOf: (arm) => by(records.filter((record) => record.arm === arm)),
      comparisons,
      seed: 1,
    }).map((found) => [found.metric, found]),
  );

describe("pairRuns", () => {
  it("averages the repetitions of an input, and latencies as ratios", () => {
    const paired = pairRuns(
      metric("latency"),
      ["1"],
      by([run("a", "1", { latencyMs: 100 }), run("a", "1", { latencyMs: 400 })]),
      by([run("b", "1", { latencyMs: 100 })]),
    );
    expect(paired.scale).toBe("ratio");
    expect(paired.pairs[0]!.baseline).toBeCloseTo(200);
    expect(paired.pairs[0]!.change).toBeCloseTo(-0.5);
  });

  it("uses differences when a value is 0", () => {
    const tools = [{ name: "t", calls: 2, failures: 0 }];
    const paired = pairRuns(metric("toolCalls"), ["1"], by([run("a", "1")]), by([run("b", "1", { tools })]));
    expect(paired).toMatchObject({ scale: "difference", pairs: [{ change: 2 }] });
  });

  it("uses the arithmetic mean when a latency is 0", () => {
    const paired = pairRuns(
      metric("latency"),
      ["1"],
      by([run("a", "1", { latencyMs: 0 }), run("a", "1", { latencyMs: 100 })]),
      by([run("b", "1", { latencyMs: 100 })]),
    );
    expect(paired.pairs).toEqual([{ input: "1", baseline: 50, arm: 100, change: 1 }]);
  });

  it("keeps ratios when an input has no value in one or both arms", () => {
    const missing = { latencyMs: null };
    for (const [a, b] of [
      [missing, {}],
      [{}, missing],
      [missing, missing],
    ]) {
      const paired = pairRuns(
        metric("latency"),
        ["1", "2"],
        by([run("a", "1"), run("a", "2", a)]),
        by([run("b", "1", { latencyMs: 150 }), run("b", "2", b)]),
      );
      expect(paired).toMatchObject({ scale: "ratio", pairs: [{ input: "1", change: expect.closeTo(0.5) }] });
    }
  });

  it("compares cost as a ratio and skips runs without usage", () => {
    const cost = metricsOf([], ({ inputTokens }) => inputTokens).find(({ name }) => name === "cost")!;
    const usage = { inputTokens: 15, outputTokens: 0 };
    const paired = pairRuns(
      cost,
      ["1", "2"],
      by([run("a", "1"), run("a", "2", { usage: null })]),
      by([run("b", "1", { usage }), run("b", "2")]),
    );
    expect(paired).toMatchObject({ scale: "ratio", differences: [Math.log(1.5), undefined] });
    expect(paired.pairs).toEqual([{ input: "1", baseline: 10, arm: 15, change: 0.5 }]);
  });

  it("leaves out inputs without a value in one arm", () => {
    const paired = pairRuns(
      metric("latency"),
      ["1", "2"],
      by([run("a", "1"), run("a", "2")]),
      by([run("b", "1"), run("b", "2", { latencyMs: null })]),
    );
    expect(paired.pairs.map(({ input }) => input)).toEqual(["1"]);
    expect(paired.differences).toEqual([0, undefined]);
  });

  it("treats means as equal that differ only in their last digit", () => {
    const score = (arm: string, value: number) => run(arm, "1", { scores: { x: value } });
    const differences = (one: number, other: number) => {
      const records = [score("a", one), score("b", other)];
      return pairRuns(metric("x", records), ["1"], by(records.slice(0, 1)), by(records.slice(1))).differences;
    };
    expect(differences(0.1 + 0.2, 0.3)).toEqual([0]);
    expect(differences((0.1 + 0.2) * 1e6, 0.3 * 1e6)).toEqual([0]);
    expect(differences(1e-9, 3e-9)).toEqual([3e-9 - 1e-9]);
  });
});

describe("compareArms", () => {
  const both = (inputs: readonly string[], of: (index: number) => Partial<ExperimentRun>) =>
    inputs.flatMap((id, index) => [run("a", id), run("b", id, of(index))]);

  it("finds a difference in every input and names the better arm", () => {
    const inputs = ids(10);
    const found = compared(
      inputs,
      both(inputs, (index) => ({ latencyMs: 60 + index, success: false })),
    );
    expect(found.latency).toMatchObject({ conclusion: "difference", better: "b", scale: "ratio" });
    expect(found.latency!.low).toBeGreaterThan(-0.4);
    expect(found.latency!.high).toBeLessThan(-0.3);
    expect(found.success).toMatchObject({ conclusion: "difference", better: "a", estimate: -1, low: -1 });
    expect(found.success!.high).toBeCloseTo(-0.48, 2);
    expect(found.turns).toMatchObject({ conclusion: "no-evidence", estimate: 0, low: 0, high: 0, pValue: 1 });
  });

  it("reports no evidence when the interval contains 0, despite a small p-value", () => {
    const inputs = ids(6);
    const scored = both(inputs, (index) => ({ scores: { x: index === 0 ? 100 : 1 } }));
    const { x } = compared(
      inputs,
      scored.map((each) => (each.arm === "a" ? { ...each, scores: { x: 0 } } : each)),
    );
    expect(x!.pValue).toBeLessThan(0.05);
    expect(x).toMatchObject({ conclusion: "no-evidence", better: null, estimate: 17.5 });
    expect(x!.low).toBeLessThan(0);
  });

  it("names the better arm in both directions, and none for a neutral metric", () => {
    const inputs = ids(8);
    const tools = [{ name: "t", calls: 2, failures: 0 }];
    const found = compared(
      inputs,
      inputs.flatMap((id) => [
        run("a", id, { success: false, tools: [{ name: "t", calls: 1, failures: 0 }] }),
        run("b", id, { tools, latencyMs: 200 }),
      ]),
    );
    expect(found.success).toMatchObject({ conclusion: "difference", better: "b", estimate: 1 });
    expect(found.latency).toMatchObject({ conclusion: "difference", better: "a" });
    expect(found.toolCalls).toMatchObject({ conclusion: "difference", better: null });
    expect(found.turns).toMatchObject({ conclusion: "no-evidence", better: null });
  });

  it("bounds the interval of a share, and no other interval", () => {
    const inputs = ids(8);
    const slow = both(inputs, (index) => ({ latencyMs: 400 + index, success: index > 3 }));
    const { latency, success } = compared(inputs, slow);
    expect(latency!.low).toBeGreaterThan(2.9);
    expect(latency!.high).toBeGreaterThan(3);
    expect(success!.low).toBe(-1);
  });

  it("uses only inputs with a value in both arms", () => {
    const inputs = ids(9);
    const records = both(inputs, (index) => ({ latencyMs: index < 2 ? null : 50 }));
    const { latency } = compared(inputs, records);
    expect(latency!.estimate).toBeCloseTo(-0.5);
    expect(latency).toMatchObject({ conclusion: "difference", better: "b" });
    expect(latency!.low).toBeCloseTo(-0.5);
    expect(latency!.high).toBeCloseTo(-0.19, 2);
  });

  it("gives an interval for success of 7 of 7 against 0 of 7", () => {
    const inputs = ids(7);
    const records = inputs.flatMap((id) => [run("a", id, { success: false }), run("b", id)]);
    const { success, toolFailures } = compared(inputs, records);
    expect(success).toMatchObject({ conclusion: "difference", better: "b", estimate: 1, high: 1 });
    expect(success!.low).toBeCloseTo(0.304, 3);
    expect(toolFailures).toMatchObject({ conclusion: "no-evidence", estimate: 0, low: 0, high: 0 });
  });

  it("gives an interval for success that is the same for every input", () => {
    const inputs = ids(7);
    const { success } = compared(
      inputs,
      both(inputs, () => ({})),
    );
    expect(success).toMatchObject({ conclusion: "no-evidence", estimate: 0 });
    expect(success!.low).toBeCloseTo(-0.348, 3);
    expect(success!.high).toBeCloseTo(0.348, 3);
  });

  it("includes 0 in the interval when it finds no difference", () => {
    const inputs = ids(12);
    for (let shift = 0; shift < 12; shift++) {
      const noisy = both(inputs, (index) => ({ latencyMs: 100 + ((index * 7 + shift) % 12) * 6 - 20 }));
      const { latency } = compared(inputs, noisy);
      if (latency!.conclusion === "difference") continue;
      expect(latency!.low).toBeLessThanOrEqual(0);
      expect(latency!.high).toBeGreaterThanOrEqual(0);
    }
  });

  it("reports too-few below six inputs, and below more inputs with more arms", () => {
    const few = both(ids(5), () => ({ latencyMs: 10 }));
    const { latency } = compared(ids(5), few);
    expect(latency).toMatchObject({ conclusion: "too-few", better: null, low: null, high: null });
    expect(latency!.estimate).toBeCloseTo(-0.9);
    const lost = both(ids(5), () => ({ latencyMs: null }));
    expect(compared(ids(5), lost).latency).toMatchObject({ conclusion: "too-few", estimate: null });
    const six = both(ids(6), (index) => ({ latencyMs: 10 + index }));
    expect(compared(ids(6), six).latency!.conclusion).toBe("difference");
    expect(compared(ids(6), six, 2).latency!.conclusion).toBe("too-few");
  });

  it("renames a score that has the name of a metric", () => {
    const scored = both(ids(6), () => ({ scores: { latency: 1 } })).map((each) => ({
      ...each,
      scores: { latency: 1 },
    }));
    expect(Object.keys(compared(ids(6), scored))).toContain("score:latency");
  });
});
