import { formatAmount, joinWords } from "./analysis/metrics.ts";
import { asSentence } from "./analysis/to-verdict.ts";
import type { ArmSummary, Comparison, Difference, ExperimentResult } from "./experiment-result.ts";
import { type Axis, latencyAxis } from "./report/axis.ts";
import { changeStrips } from "./report/change-strips.ts";
import { inputTable } from "./report/input-table.ts";
import {
  differenceTone,
  drawDots,
  escapeHtml,
  foreignText,
  formatPercent,
  ownText,
  pluralize,
  type ReportPage,
  toReportPage,
} from "./report/markup.ts";
import { metricTable } from "./report/metric-table.ts";
import { reportStyle } from "./report/report-style.ts";

/** Blocks scripts and loads, in addition to escaping. */
const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** Renders the result as a self-contained HTML page without scripts. */
export const toReportHtml = (result: ExperimentResult): string => {
  const page = toReportPage(result);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(`${result.agent}: ${result.arms.map(({ label, library }) => (library === undefined ? label : `${label} (${library})`)).join(" against ")}`)}</title>
<link rel="icon" href="data:,">
<style>${reportStyle}</style>
</head>
<body>
<main>
${reportHeading(page)}
${result.comparisons.map((comparison) => comparisonSections(page, comparison)).join("\n")}
${htmlSection("Success", "How often each arm succeeded.", successBars(page))}
${htmlSection("Latency", "Completed runs.", latencyPlot(page))}
${htmlSection("Tools", "Which tools the agent called, and how often in vain.", toolProfile(page))}
${result.comparisons.map((comparison) => differingInputsSection(page, comparison)).join("\n")}
${htmlSection("How this was measured", "", methodSection(page))}
<footer>Made by Haft. All numbers are in the JSON result, from which this page can be made again.</footer>
</main>
</body>
</html>
`;
};

const comparisonSections = (page: ReportPage, comparison: Comparison): string =>
  htmlSection(`${armLabelPair(page, comparison)} at a glance`, "", metricTable(page, comparison)) +
  htmlSection(
    `${armLabelPair(page, comparison)}, input by input`,
    "Each dot is one input; the bar is the interval of the mean change.",
    changeStrips(page, comparison),
  );

const differingInputsSection = (page: ReportPage, comparison: Comparison): string =>
  htmlSection(
    `Inputs where ${armLabelPair(page, comparison)} differ`,
    "Success first, then latencies that are far apart.",
    inputTable(page, comparison),
  );

const armLabelPair = (page: ReportPage, comparison: Comparison): string => {
  const { baseline, arm } = page.armsOf(comparison);
  return `${baseline.label} and ${arm.label}`;
};

const htmlSection = (title: string, lead: string, body: string): string =>
  `<section><h2>${escapeHtml(title)}</h2>${lead === "" ? "" : `<p>${escapeHtml(lead)}</p>`}${body}</section>`;

const methodSection = ({ result }: ReportPage): string => {
  const { confidence, repetitions, concurrency, comparisons, runs } = result;
  const percentage = Math.round(confidence * 100);
  const threw = runs.filter(({ status }) => status === "threw").length;
  const metrics = comparisons[0]?.differences.length ?? 0;
  const points = [
    `Each input ran in every arm, one arm directly after the other and in random order, so that changes over time favor no arm. ${repetitions === 1 ? "" : "Repetitions of an input are averaged first, because they only describe that input. "}Arms are then compared input by input.`,
    `A difference is reported only if it holds for all ${pluralize(metrics, "metric")}${comparisons.length > 1 ? ` and ${comparisons.length} comparisons` : ""} together: of 100 experiments with two equal arms, about ${100 - percentage} would report any. The test flips the signs of paired differences (step-down maxT).`,
    `An interval says where the mean change over inputs like these lies, with ${percentage} % confidence for its metric by itself (paired bootstrap-t; where every input shows the same, the exact share of inputs that may show something else). Where no difference is reported, it holds 0.`,
    "Latency compares typical runs (geometric means), so that one stalled request does not dominate. Shares are of the baseline: 30 % faster takes 30 % less time.",
    ...(threw === 0
      ? []
      : [
          `${pluralize(threw, "run")} ended with an error. They count as failures, with what they used, and have no latency.`,
        ]),
    ...(concurrency === 1
      ? []
      : [`${concurrency} runs ran in parallel, so their latencies may have influenced each other.`]),
  ];
  return `<ul class="method">${points.map((point) => `<li>${point}</li>`).join("")}</ul>`;
};

const maxReasons = 5;

const successBars = (page: ReportPage): string =>
  `<div class="grid">${page.arms.map((arm) => armCard(page, arm)).join("")}</div>`;

const armCard = (page: ReportPage, arm: ArmSummary): string => {
  const { label, runs, successes } = arm;
  const share = runs === 0 ? 0 : successes / runs;
  return `<div class="card"><div class="bar-head"><b>${escapeHtml(label)}</b><span class="number">${escapeHtml(formatAmount(share, "share"))}</span></div>
<div class="bar"><span class="fill ${page.toneOf(arm.arm)}" style="width:${formatPercent(share)}"></span></div>
<p class="hint">${successes.toLocaleString("en-US")} of ${pluralize(runs, "run")}</p>${reasonList(arm)}</div>`;
};

const reasonList = ({ reasons: all, runs, successes }: ArmSummary): string => {
  if (all.length === 0) return "";
  const shown = all
    .slice(0, maxReasons)
    .map(
      ({ reason, runs: count }) =>
        `<li><span class="count">${count} ×</span> ${foreignText(reason, 160)}</li>`,
    );
  const left = all.slice(maxReasons).reduce((sum, each) => sum + each.runs, 0);
  if (left > 0) shown.push(`<li class="hint">${pluralize(left, "more failure")}</li>`);
  return `<p class="why">Why ${pluralize(runs - successes, "run")} failed</p><ul class="reasons">${shown.join("")}</ul>`;
};

const maxTools = 20;

const toolProfile = (page: ReportPage): string => {
  const { arms } = page;
  const totals = new Map<string, number>();
  for (const { name, callsPerRun } of arms.flatMap(({ tools }) => tools)) {
    totals.set(name, (totals.get(name) ?? 0) + callsPerRun);
  }
  const names = [...totals].sort((one, other) => other[1] - one[1]).map(([name]) => name);
  if (names.length === 0) return `<p class="note">No tool was called.</p>`;
  const most = Math.max(...arms.flatMap(({ tools }) => tools.map(({ callsPerRun }) => callsPerRun)));
  const rows = names
    .slice(0, maxTools)
    .map(
      (name) =>
        `<div class="tool"><div class="tool-name"><code>${foreignText(name, 80)}</code></div><div>${arms
          .map((arm) => toolBar(page, arm, name, most))
          .join("")}</div></div>`,
    );
  const left = names.length - rows.length;
  return `<div class="card">${rows.join("")}${left > 0 ? `<p class="hint">and ${left} more</p>` : ""}
<p class="legend"><span><i class="key solid"></i>calls per run</span><span><i class="key hatched"></i>of these failed</span></p></div>`;
};

const toolBar = (page: ReportPage, arm: ArmSummary, name: string, max: number): string => {
  const use = arm.tools.find((each) => each.name === name) ?? { calls: 0, failures: 0, callsPerRun: 0 };
  const share = max === 0 ? 0 : use.callsPerRun / max;
  const failed = use.calls === 0 ? 0 : use.failures / use.calls;
  const words = `${formatAmount(use.callsPerRun, "count")}${use.failures === 0 ? "" : ` · ${formatAmount(Number(failed.toFixed(2)), "share")} failed`}`;
  return `<div class="tool-bar"><span class="tool-arm">${escapeHtml(arm.label)}</span><span class="track"><span class="fill ${page.toneOf(arm.arm)}" style="width:${formatPercent(share)}"><span class="failed" style="width:${formatPercent(failed)}"></span></span></span><span class="number">${escapeHtml(words)}</span></div>`;
};

const reportHeading = (page: ReportPage): string => {
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
    few.length === 0 ? "" : `Too few inputs to compare ${joinWords(few, "or")}.`,
  ].filter((sentence) => sentence !== "");
  return sentences.length === 0 ? "" : `<p class="rest">${escapeHtml(sentences.join(" "))}</p>`;
};

const height = 56;
const line = height / 2;

const latencyPlot = (page: ReportPage): string => {
  const known = page.result.runs.flatMap(({ latencyMs }) =>
    latencyMs !== null && latencyMs > 0 ? latencyMs : [],
  );
  if (known.length === 0) return `<p class="note">No run completed, so latency was not measured.</p>`;
  const axis = latencyAxis(known);
  const labels = axis.ticks.map(
    ({ at, label }) => `<text class="tick" x="${formatPercent(at)}" y="14">${escapeHtml(label)}</text>`,
  );
  return `<figure class="card">${page.arms.map((arm) => armRow(page, arm, axis)).join("")}
<svg width="100%" height="20" aria-hidden="true">${labels.join("")}</svg>
<figcaption class="legend"><span><i class="key median"></i>median</span><span><i class="key p90"></i>90 % of runs</span><span>logarithmic axis</span></figcaption></figure>`;
};

const armRow = (page: ReportPage, arm: ArmSummary, { place, ticks }: Axis): string => {
  const runs = page.result.runs.filter((run) => run.arm === arm.arm);
  const points = runs.flatMap(({ latencyMs, input, repetition }) =>
    latencyMs === null || latencyMs <= 0
      ? []
      : {
          at: place(latencyMs),
          title: `${input}, run ${repetition}: ${formatAmount(latencyMs, "ms")}`,
          tone: page.toneOf(arm.arm),
        },
  );
  const grid = ticks.map(
    ({ at }) =>
      `<line class="grid-line" x1="${formatPercent(at)}" x2="${formatPercent(at)}" y1="0" y2="${height}"/>`,
  );
  const mark = (value: number, kind: string): string =>
    `<line class="mark ${kind}" x1="${formatPercent(place(value))}" x2="${formatPercent(place(value))}" y1="4" y2="${height - 4}"/>`;
  const { latency, rightLatency } = arm.metrics;
  const right =
    rightLatency === undefined ? "" : ` · median of right answers ${formatAmount(rightLatency.median, "ms")}`;
  const words =
    latency === undefined
      ? "no run completed"
      : `median ${formatAmount(latency.median, "ms")} · 90 % within ${formatAmount(latency.p90, "ms")}${right}`;
  const marks = latency === undefined ? "" : mark(latency.median, "median") + mark(latency.p90, "p90");
  return `<p class="row-label"><b>${escapeHtml(arm.label)}</b> ${ownText(words)}</p>
<svg width="100%" height="${height}" role="img" aria-label="${escapeHtml(`Latency of ${pluralize(points.length, "run")} with ${arm.label}: ${words}`)}">${grid.join("")}${drawDots(points, line, 22)}${marks}</svg>`;
};
