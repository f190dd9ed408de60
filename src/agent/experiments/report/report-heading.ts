import { joinWords } from "../analysis/format-amounts.ts";
import { asSentence } from "../analysis/to-verdict.ts";
import type { Comparison, Difference } from "../experiment-result.ts";
import { escapeHtml, foreignText, ownText, pluralize } from "./markup.ts";
import { differenceTone, type ReportPage } from "./report-page.ts";

export const reportHeading = (page: ReportPage): string => {
  const { result } = page;
  const { agent, arms, inputs, repetitions, runs, seed, startedAt } = result;
  const chips = arms.map(
    ({ arm, label, library }, index) =>
      `<span class="chip"><i class="key ${page.toneOf(arm)}"></i>${escapeHtml(label)}${library === undefined ? "" : ` <code>${foreignText(library, 80)}</code>`}${index === 0 ? " <small>baseline</small>" : ""}</span>`,
  );
  const facts = [
    `${pluralize(inputs.length, "input")} × ${pluralize(repetitions, "run")} × ${arms.length} arms = ${pluralize(runs.length, "run")}`,
    `seed ${seed}`,
    `<time datetime="${escapeHtml(startedAt)}">${escapeHtml(startedAt.slice(0, 16).replace("T", " "))} UTC</time>`,
  ];
  return `<header><p class="kicker">Experiment with the agent ${foreignText(agent, 80)}</p>
${result.comparisons.map((comparison) => verdictLine(page, comparison)).join("")}
<p class="facts">${chips.join("")}${facts.map((fact) => `<span>${fact}</span>`).join("")}</p></header>`;
};

const verdictLine = (page: ReportPage, comparison: Comparison): string => {
  const { differences, verdict: whole } = comparison;
  const found = differences.filter(({ conclusion }) => conclusion === "difference");
  const { baseline, arm } = page.armsOf(comparison);
  const against =
    page.result.comparisons.length === 1
      ? ""
      : `<p class="against">${escapeHtml(arm.label)} against ${escapeHtml(baseline.label)}</p>`;
  if (found.length === 0) return `${against}<h1>${escapeHtml(whole)}</h1>`;
  const lines = found.map(
    (each) =>
      `<span class="finding"><i class="key ${differenceTone(page, each)}"></i>${ownText(asSentence(each.sentence))}</span>`,
  );
  return `${against}<h1${found.length > 3 ? ' class="many"' : ""}>${lines.join(" ")}</h1>${otherResults(differences)}`;
};

const otherResults = (differences: readonly Difference[]): string => {
  const of = (wanted: Difference["conclusion"]): readonly string[] =>
    differences.filter(({ conclusion }) => conclusion === wanted).map(({ label }) => label);
  const [none, few] = [of("no-evidence"), of("too-few")];
  const sentences = [
    none.length === 0 ? "" : `No evidence of a difference in ${joinWords(none, "or")}.`,
    few.length === 0 ? "" : `Too few inputs to say anything about ${joinWords(few, "or")}.`,
  ].filter((sentence) => sentence !== "");
  return sentences.length === 0 ? "" : `<p class="rest">${escapeHtml(sentences.join(" "))}</p>`;
};
