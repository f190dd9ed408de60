import { toAmount } from "./analysis/amounts.ts";
import { changeStrips } from "./report/change-strips.ts";
import { heading } from "./report/heading.ts";
import { inputTable } from "./report/input-table.ts";
import { latencyPlot } from "./report/latency-plot.ts";
import { escaped, foreign, percent, plural } from "./report/markup.ts";
import { metricTable } from "./report/metric-table.ts";
import { type ReportPage, toPage } from "./report/page.ts";
import { style } from "./report/style.ts";
import type { ArmSummary, Comparison, ExperimentResult } from "./result.ts";

/** What came with the inputs and answers can neither run nor load anything, even if it were not escaped. */
const contentPolicy =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'";

/** One page that needs nothing else: no script, no network, readable on a phone and on paper. */
export const toReportHtml = (result: ExperimentResult): string => {
  const page = toPage(result);
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${contentPolicy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escaped(`${result.agent}: ${result.arms.map(({ label, library }) => (library === undefined ? label : `${label} (${library})`)).join(" against ")}`)}</title>
<link rel="icon" href="data:,">
<style>${style}</style>
</head>
<body>
<main>
${heading(page)}
${result.comparisons.map((comparison) => compared(page, comparison)).join("\n")}
${section("Success", "How often each arm did what it was asked.", successBars(page))}
${section("Latency", "Every run that came back.", latencyPlot(page))}
${section("Tools", "Which tools the agent called, and how often in vain.", toolProfile(page))}
${result.comparisons.map((comparison) => differing(page, comparison)).join("\n")}
${section("How this was measured", "", method(page))}
<footer>Made by Haft. All numbers are in the JSON result, from which this page can be made again.</footer>
</main>
</body>
</html>
`;
};

const compared = (page: ReportPage, comparison: Comparison): string =>
  section(`${between(page, comparison)} at a glance`, "", metricTable(page, comparison)) +
  section(
    `${between(page, comparison)}, input by input`,
    "Each dot is one input; the bar is the interval of the mean change.",
    changeStrips(page, comparison),
  );

const differing = (page: ReportPage, comparison: Comparison): string =>
  section(
    `Inputs where ${between(page, comparison)} differ`,
    "Success first, then latencies that are far apart.",
    inputTable(page, comparison),
  );

const between = (page: ReportPage, comparison: Comparison): string => {
  const { baseline, arm } = page.armsOf(comparison);
  return `${baseline.label} and ${arm.label}`;
};

const section = (title: string, lead: string, body: string): string =>
  `<section><h2>${escaped(title)}</h2>${lead === "" ? "" : `<p>${escaped(lead)}</p>`}${body}</section>`;

/** How the numbers came about, in words for whoever has to trust them. */
const method = ({ result }: ReportPage): string => {
  const { confidence, repetitions, concurrency, comparisons, runs } = result;
  const percentage = Math.round(confidence * 100);
  const threw = runs.filter(({ status }) => status === "threw").length;
  const metrics = comparisons[0]?.differences.length ?? 0;
  const points = [
    `Each input ran in every arm, one arm right after the other and in drawn order, so that what changes with time favors none. ${repetitions === 1 ? "" : "Repetitions of an input are averaged first: they tell about that input only. "}Arms are then compared input by input.`,
    `A difference is reported only if it holds for all ${plural(metrics, "metric")}${comparisons.length > 1 ? ` and ${comparisons.length} comparisons` : ""} together: of 100 experiments with two equal arms, about ${100 - percentage} would report any. The test flips the signs of paired differences (step-down maxT).`,
    `An interval says where the mean change over inputs like these lies, with ${percentage} % confidence for its metric by itself (paired bootstrap-t; where every input shows the same, the exact share of inputs that may show something else). Where no difference is reported, it holds 0.`,
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

const mostReasons = 5;

/** How often each arm did what it was asked, and why it did not. */
const successBars = (page: ReportPage): string =>
  `<div class="grid">${page.arms.map((arm) => armCard(page, arm)).join("")}</div>`;

const armCard = (page: ReportPage, arm: ArmSummary): string => {
  const { label, runs, successes } = arm;
  const share = runs === 0 ? 0 : successes / runs;
  return `<div class="card"><div class="bar-head"><b>${escaped(label)}</b><span class="number">${escaped(toAmount(share, "share"))}</span></div>
<div class="bar"><span class="fill ${page.toneOf(arm.arm)}" style="width:${percent(share)}"></span></div>
<p class="hint">${successes.toLocaleString("en-US")} of ${plural(runs, "run")}</p>${reasons(arm)}</div>`;
};

const reasons = ({ reasons: all, runs, successes }: ArmSummary): string => {
  if (all.length === 0) return "";
  const shown = all
    .slice(0, mostReasons)
    .map(
      ({ reason, runs: count }) => `<li><span class="count">${count} ×</span> ${foreign(reason, 160)}</li>`,
    );
  const left = all.slice(mostReasons).reduce((sum, each) => sum + each.runs, 0);
  if (left > 0) shown.push(`<li class="hint">${plural(left, "more failure")}</li>`);
  return `<p class="why">Why ${plural(runs - successes, "run")} failed</p><ul class="reasons">${shown.join("")}</ul>`;
};

const mostTools = 20;

/** Calls per run of each tool, arm under arm; the hatched part failed. */
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
    .slice(0, mostTools)
    .map(
      (name) =>
        `<div class="tool"><div class="tool-name"><code>${foreign(name, 80)}</code></div><div>${arms
          .map((arm) => bar(page, arm, name, most))
          .join("")}</div></div>`,
    );
  const left = names.length - rows.length;
  return `<div class="card">${rows.join("")}${left > 0 ? `<p class="hint">and ${left} more</p>` : ""}
<p class="legend"><span><i class="key solid"></i>calls per run</span><span><i class="key hatched"></i>of these failed</span></p></div>`;
};

const bar = (page: ReportPage, arm: ArmSummary, name: string, most: number): string => {
  const use = arm.tools.find((each) => each.name === name) ?? { calls: 0, failures: 0, callsPerRun: 0 };
  const share = most === 0 ? 0 : use.callsPerRun / most;
  const failed = use.calls === 0 ? 0 : use.failures / use.calls;
  const words = `${toAmount(use.callsPerRun, "count")}${use.failures === 0 ? "" : ` · ${toAmount(Number(failed.toFixed(2)), "share")} failed`}`;
  return `<div class="tool-bar"><span class="tool-arm">${escaped(arm.label)}</span><span class="track"><span class="fill ${page.toneOf(arm.arm)}" style="width:${percent(share)}"><span class="failed" style="width:${percent(failed)}"></span></span></span><span class="number">${escaped(words)}</span></div>`;
};
