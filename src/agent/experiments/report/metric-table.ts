import { toAmount } from "../analysis/amounts.ts";
import type { ArmSummary, Comparison, Difference } from "../result.ts";
import { intervalPlace, toChange } from "./axis.ts";
import { capital, escaped, percent } from "./markup.ts";
import { type ReportPage, toneOf } from "./page.ts";

/** Every metric of one comparison: both arms, the change with its interval, and what is made of it. */
export const metricTable = (page: ReportPage, comparison: Comparison): string => {
  const { baseline, arm } = page.armsOf(comparison);
  const rows = comparison.differences.map((difference) => row(page, difference, comparison)).join("");
  const percentage = Math.round(page.result.confidence * 100);
  return `<table class="metrics">
<thead><tr><th scope="col">Metric</th><th scope="col">${escaped(baseline.label)}</th><th scope="col">${escaped(arm.label)}</th>
<th scope="col" class="wide">Change with ${escaped(arm.label)}, ${percentage} % interval</th><th scope="col">Verdict</th></tr></thead>
<tbody>${rows}</tbody></table>`;
};

const row = (page: ReportPage, difference: Difference, comparison: Comparison): string => {
  const { baseline, arm } = page.armsOf(comparison);
  const value = (summary: ArmSummary): string =>
    `<td data-label="${escaped(summary.label)}" class="number">${escaped(valueIn(summary, difference))}</td>`;
  return `<tr><th scope="row">${escaped(capital(difference.label))}<span class="hint">${escaped(hintOf(difference))}</span></th>
${value(baseline)}${value(arm)}
<td class="change">${intervalPlot(page, difference, comparison.differences)}<span class="number">${escaped(toWords(difference))}</span></td>
<td class="badge-cell">${badge(page, difference)}</td></tr>`;
};

const valueIn = ({ metrics }: ArmSummary, { metric, unit }: Difference): string => {
  const summary = metrics[metric];
  if (summary === undefined) return "–";
  return toAmount(isLatency(metric) ? summary.median : summary.mean, unit);
};

const isLatency = (metric: string): boolean => metric === "latency" || metric === "rightLatency";

const hintOf = ({ metric, unit }: Difference): string => {
  if (isLatency(metric)) return metric === "latency" ? "median run" : "median right run";
  return unit === "share" ? "of all runs" : "mean per run";
};

const toWords = ({ estimate, low, high, scale, unit }: Difference): string => {
  if (estimate === null) return "not measured with both";
  const middle = toChange(estimate, scale, unit);
  if (low === null || high === null) return middle;
  return `${middle} (${toChange(low, scale, unit)} to ${toChange(high, scale, unit)})`;
};

const intervalPlot = (page: ReportPage, difference: Difference, all: readonly Difference[]): string => {
  const { low, high, estimate } = difference;
  if (low === null || high === null || estimate === null) return "";
  const place = intervalPlace(difference, all);
  const tone = toneOf(page, difference);
  return `<svg class="interval" width="100%" height="22" aria-hidden="true">
<line class="zero" x1="50%" x2="50%" y1="1" y2="21"/>
<line class="band ${tone}" x1="${percent(place(low))}" x2="${percent(place(high))}" y1="11" y2="11"/>
<circle class="middle ${tone}" cx="${percent(place(estimate))}" cy="11" r="4.5"/></svg>`;
};

const badge = (page: ReportPage, difference: Difference): string => {
  const { conclusion, better } = difference;
  if (conclusion === "too-few") return `<span class="badge">too few inputs</span>`;
  if (conclusion === "no-evidence") return `<span class="badge">no evidence</span>`;
  if (better === null) return `<span class="badge found">differs</span>`;
  const { label } = page.armNamed(better);
  return `<span class="badge found ${toneOf(page, difference)}">${escaped(label)} is better</span>`;
};
