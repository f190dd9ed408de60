import { round, table } from "../numbers.ts";
import type { Difference } from "./bootstrap.ts";
import type { Result } from "./measure-contender.ts";
import { type Measures, measureNames } from "./metrics.ts";

/** Three decimals without the leading zero. */
export const share = (value: number): string => value.toFixed(3).replace(/^0\./, ".");

const heads: Readonly<Record<keyof Measures, string>> = {
  r1: "R@1",
  r5: "R@5",
  r10: "R@10",
  ndcg10: "nDCG@10",
  complete10: "complete@10",
  pooled5: "pooled R@5",
  pooled10: "pooled R@10",
};

/** A table per contender: its sources, macro and micro. */
export const resultText = ({ name, summary, ...result }: Result): string => {
  const row = (title: string, questions: string, measures: Measures) => [
    title,
    questions,
    ...measureNames.map((each) => share(measures[each])),
  ];
  const total = Object.values(summary.sources).reduce((sum, { questions }) => sum + questions, 0);
  const rows = [
    [name, "questions", ...measureNames.map((each) => heads[each])],
    ...Object.entries(summary.sources).map(([source, each]) => row(source, String(each.questions), each)),
    row("macro", "", summary.macro),
    row("micro", String(total), summary.micro),
  ];
  const { answerable, notAnswerable, ownMicroseconds: own, pooledMicroseconds: pooled } = result;
  const counts = `${answerable} answerable, ${notAnswerable} not`;
  return [
    table(rows),
    `abstention AUC ${share(result.abstention)} (${counts})`,
    `µs a question, p50/p99: own catalogue ${round(own.p50)}/${round(own.p99)}, pooled ${round(pooled.p50)}/${round(pooled.p99)}; index of all ${round(result.indexMilliseconds)} ms`,
  ].join("\n");
};

/** Compares all pairs in the main metrics. */
export const comparisonText = (results: readonly Result[]): string =>
  table([
    ["", "macro R@5", "micro R@5", "macro nDCG", "pooled macro R@10", "AUC", "µs p50", "µs p99"],
    ...results.map(({ name, summary, abstention, pooledMicroseconds }) => [
      name,
      share(summary.macro.r5),
      share(summary.micro.r5),
      share(summary.macro.ndcg10),
      share(summary.macro.pooled10),
      share(abstention),
      round(pooledMicroseconds.p50),
      round(pooledMicroseconds.p99),
    ]),
  ]);

export const differencesText = (title: string, differences: Readonly<Record<string, Difference>>): string => {
  const signed = (value: number): string => `${value < 0 ? "−" : "+"}${Math.abs(100 * value).toFixed(1)}`;
  return table([
    [title, "points", "95 %", ""],
    ...Object.entries(differences).map(([name, { difference, low, high, verdict }]) => [
      name,
      signed(difference),
      `${signed(low)} to ${signed(high)}`,
      verdict,
    ]),
  ]);
};
