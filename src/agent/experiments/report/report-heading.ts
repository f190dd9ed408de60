import { listed } from "../analysis/amounts.ts";
import { asSentence } from "../analysis/verdict.ts";
import type { Comparison, Difference } from "../result.ts";
import { escaped, foreign, phrase, plural } from "./markup.ts";
import { type ReportPage, toneOf } from "./page.ts";

/** What was compared, and what came out, before anything else. */
export const heading = (page: ReportPage): string => {
  const { result } = page;
  const { agent, arms, inputs, repetitions, runs, seed, startedAt } = result;
  const chips = arms.map(
    ({ arm, label, library }, index) =>
      `<span class="chip"><i class="key ${page.toneOf(arm)}"></i>${escaped(label)}${library === undefined ? "" : ` <code>${foreign(library, 80)}</code>`}${index === 0 ? " <small>baseline</small>" : ""}</span>`,
  );
  const facts = [
    `${plural(inputs.length, "input")} × ${plural(repetitions, "run")} × ${arms.length} arms = ${plural(runs.length, "run")}`,
    `seed ${seed}`,
    `<time datetime="${escaped(startedAt)}">${escaped(startedAt.slice(0, 16).replace("T", " "))} UTC</time>`,
  ];
  return `<header><p class="kicker">Experiment with the agent ${foreign(agent, 80)}</p>
${result.comparisons.map((comparison) => verdict(page, comparison)).join("")}
<p class="facts">${chips.join("")}${facts.map((fact) => `<span>${fact}</span>`).join("")}</p></header>`;
};

const verdict = (page: ReportPage, comparison: Comparison): string => {
  const { differences, verdict: whole } = comparison;
  const found = differences.filter(({ conclusion }) => conclusion === "difference");
  const { baseline, arm } = page.armsOf(comparison);
  const against =
    page.result.comparisons.length === 1
      ? ""
      : `<p class="against">${escaped(arm.label)} against ${escaped(baseline.label)}</p>`;
  if (found.length === 0) return `${against}<h1>${escaped(whole)}</h1>`;
  const lines = found.map(
    (each) =>
      `<span class="finding"><i class="key ${toneOf(page, each)}"></i>${phrase(asSentence(each.sentence))}</span>`,
  );
  return `${against}<h1${found.length > 3 ? ' class="many"' : ""}>${lines.join(" ")}</h1>${rest(differences)}`;
};

const rest = (differences: readonly Difference[]): string => {
  const of = (wanted: Difference["conclusion"]): readonly string[] =>
    differences.filter(({ conclusion }) => conclusion === wanted).map(({ label }) => label);
  const [none, few] = [of("no-evidence"), of("too-few")];
  const sentences = [
    none.length === 0 ? "" : `No evidence of a difference in ${listed(none, "or")}.`,
    few.length === 0 ? "" : `Too few inputs to say anything about ${listed(few, "or")}.`,
  ].filter((sentence) => sentence !== "");
  return sentences.length === 0 ? "" : `<p class="rest">${escaped(sentences.join(" "))}</p>`;
};
