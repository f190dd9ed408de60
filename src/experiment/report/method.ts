import { plural } from "./markup.ts";
import type { Page } from "./page.ts";

/** How the numbers came about, in words for whoever has to trust them. */
export const method = ({ result }: Page): string => {
  const { confidence, repetitions, concurrency, comparisons, runs } = result;
  const percentage = Math.round(confidence * 100);
  const threw = runs.filter(({ status }) => status === "threw").length;
  const metrics = comparisons[0]?.differences.length ?? 0;
  const points = [
    `Each input ran in every arm, one arm right after the other and in drawn order, so that what changes with time favors none. ${repetitions === 1 ? "" : "Repetitions of an input are averaged first: they tell about that input only. "}Arms are then compared input by input.`,
    `A difference is reported only if it holds for all ${plural(metrics, "metric")}${comparisons.length > 1 ? ` and ${comparisons.length} comparisons` : ""} together: of 100 experiments with two equal arms, about ${100 - percentage} would report any. The test flips the signs of paired differences (step-down maxT).`,
    `An interval says where the mean change over inputs like these lies, with ${percentage} % confidence for its metric by itself (paired bootstrap-t). Where no difference is reported, it holds 0.`,
    "Latency compares typical runs (geometric means), so that one stalled request does not decide. Shares are of the baseline: 30 % faster takes 30 % less time.",
    ...(threw === 0
      ? []
      : [
          `${plural(threw, "run")} ended with an error. They count as failures, with what they used, and have no latency.`,
        ]),
    ...(concurrency === 1
      ? []
      : [`${concurrency} runs went on at once: latencies may have influenced one another.`]),
  ];
  return `<ul class="method">${points.map((point) => `<li>${point}</li>`).join("")}</ul>`;
};
