import { expect, it } from "vitest";
import type { Difference } from "../experiment-result.ts";
import { changeAxis } from "./axis.ts";

const changes = (...values: readonly number[]): Difference => ({
  metric: "latency",
  label: "latency",
  unit: "ms",
  scale: "ratio",
  estimate: null,
  low: null,
  high: null,
  pValue: 1,
  conclusion: "no-evidence",
  better: null,
  sentence: "",
  pairs: values.map((change, index) => ({ input: `${index}`, baseline: 1, arm: 1 + change, change })),
});
const labels = (difference: Difference) =>
  changeAxis(difference)
    .ticks.toSorted((one, other) => one.at - other.at)
    .map(({ label }) => label);

it("labels both sides of 0 alike at every scale", () => {
  expect(labels(changes(-0.014, 0.014))).toEqual(["−1 %", "0 %", "+1 %"]);
  expect(labels(changes(-0.03, 0.03))).toEqual(["−2 %", "0 %", "+2 %"]);
  expect(labels(changes(-0.5, 1))).toEqual(["−50 %", "−33 %", "0 %", "+50 %", "+100 %"]);
});

it("places half and double at the same distance from the middle", () => {
  const { place } = changeAxis(changes(-0.5, 3));
  expect(place(0)).toBeCloseTo(0.5);
  expect(place(1) - 0.5).toBeCloseTo(0.5 - place(-0.5));
});
