import { expect, it } from "vitest";
import type { MeasuredDifference } from "./compare-arms.ts";
import { toLabels, toOverallVerdict, toSentence, toVerdict } from "./to-verdict.ts";

const found = (more: Partial<MeasuredDifference>): MeasuredDifference => ({
  metric: "latency",
  label: "latency",
  unit: "ms",
  scale: "ratio",
  estimate: 0,
  low: null,
  high: null,
  pValue: 0.001,
  conclusion: "difference",
  better: null,
  pairs: [],
  ...more,
});
const labels = { baseline: "A", arm: "B" };
const sentence = (more: Partial<MeasuredDifference>) => toSentence(found(more), labels, 6);

it.each([
  ["B is faster by 32–41 %", { low: -0.41, high: -0.32 }],
  ["B is slower by 12–20 %", { low: 0.12, high: 0.2 }],
  ["B takes 1.5–2.5 times as long", { low: 0.5, high: 1.5 }],
  ["B is faster by 12–20 ms", { low: -20, high: -12, scale: "difference" }],
  ["B uses 5–10 % fewer tokens", { metric: "tokens", label: "tokens", low: -0.1, high: -0.05 }],
  ["B uses 3–4 times the tokens", { metric: "tokens", label: "tokens", low: 2, high: 3 }],
  ["B costs 3–4 times as much", { metric: "cost", label: "cost", low: 2, high: 3 }],
  ["B costs 5–10 % more", { metric: "cost", label: "cost", low: 0.05, high: 0.1 }],
  [
    "B makes 0.5–1.2 fewer tool calls per run",
    { metric: "toolCalls", label: "tool calls", unit: "count", scale: "difference", low: -1.2, high: -0.5 },
  ],
  [
    "A succeeds more often by 12–30 percentage points",
    { metric: "success", label: "success", unit: "share", scale: "difference", low: -0.3, high: -0.12 },
  ],
  [
    "B scores higher in accuracy by 0.2–0.4",
    { metric: "accuracy", label: "accuracy", unit: "score", scale: "difference", low: 0.2, high: 0.4 },
  ],
  ["no evidence of a difference in latency", { conclusion: "no-evidence" }],
  [
    "too few inputs to compare latency (0 measured with both arms, at least 6 needed)",
    { conclusion: "too-few" },
  ],
] as const)("%s", (expected, more) => {
  expect(sentence(more as Partial<MeasuredDifference>)).toBe(expected);
});

it("names differences first, then metrics without evidence", () => {
  const all = [
    found({ low: -0.41, high: -0.32 }),
    found({ label: "success", conclusion: "no-evidence" }),
    found({ label: "turns", conclusion: "no-evidence" }),
    found({ label: "cost", conclusion: "too-few" }),
  ].map((each) => ({ ...each, sentence: toSentence(each, labels, 6) }));
  expect(toVerdict(all, 6)).toBe(
    "B is faster by 32–41 %; no evidence of a difference in success or turns; too few inputs to compare cost.",
  );
  expect(toVerdict(all.slice(1, 3), 6)).toBe("No evidence of a difference in success or turns.");
  expect(toVerdict(all.slice(3), 6)).toBe(
    "Too few inputs to compare: 0 were measured with both arms, and at least 6 are needed.",
  );
});

it("capitalizes arms named by one letter, unless two names would be equal", () => {
  expect(toLabels(["a", "b"])).toEqual(["A", "B"]);
  expect(toLabels(["a", "A"])).toEqual(["a", "A"]);
  expect(toLabels(["old", "new"])).toEqual(["old", "new"]);
});

it("uses the verdict of a single comparison, and names each of several", () => {
  const comparison = (arm: string) => ({ baseline: "a", arm, differences: [], verdict: `${arm} is fast.` });
  const labelOf = (arm: string) => arm.toUpperCase();
  expect(toOverallVerdict([comparison("b")], labelOf)).toBe("b is fast.");
  expect(toOverallVerdict([comparison("b"), comparison("c")], labelOf)).toBe(
    "B against A: b is fast. C against A: c is fast.",
  );
});
