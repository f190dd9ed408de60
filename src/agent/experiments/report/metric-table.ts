import { formatAmount } from "../analysis/metrics.ts";
import type { ArmSummary, Comparison, Difference } from "../experiment-result.ts";
import { intervalScale, toChange } from "./axis.ts";
import { capitalize, differenceTone, escapeHtml, formatPercent, type ReportPage } from "./markup.ts";

export const metricTable = (page: ReportPage, comparison: Comparison): string => {
  const { baseline, arm } = page.armsOf(comparison);
  const rows = comparison.differences.map((difference) => metricRow(page, difference, comparison)).join("");
  const percentage = Math.round(page.result.confidence * 100);
  return `<table class="metrics">
<thead><tr><th scope="col">Metric</th><th scope="col">${escapeHtml(baseline.label)}</th><th scope="col">${escapeHtml(arm.label)}</th>
<th scope="col" class="wide">Change with ${escapeHtml(arm.label)}, ${percentage} % interval</th><th scope="col">Verdict</th></tr></thead>
<tbody>${rows}</tbody></table>`;
};

const metricRow = (page: ReportPage, difference: Difference, comparison: Comparison): string => {
  const { baseline, arm } = page.armsOf(comparison);
  const value = (summary: ArmSummary): string =>
    `<td data-label="${escapeHtml(summary.label)}" class="number">${escapeHtml(valueIn(summary, difference))}</td>`;
  return `<tr><th scope="row">${escapeHtml(capitalize(difference.label))}<span class="hint">${escapeHtml(hintOf(difference))}</span></th>
${value(baseline)}${value(arm)}
<td class="change">${intervalPlot(page, difference, comparison.differences)}<span class="number">${escapeHtml(changeText(difference))}</span></td>
<td class="badge-cell">${badge(page, difference)}</td></tr>`;
};

const valueIn = ({ metrics }: ArmSummary, { metric, unit }: Difference): string => {
  const summary = metrics[metric];
  if (summary === undefined) return "–";
  return formatAmount(isLatency(metric) ? summary.median : summary.mean, unit);
};

const isLatency = (metric: string): boolean => metric === "latency" || metric === "rightLatency";

const hintOf = ({ metric, unit }: Difference): string => {
  if (isLatency(metric)) return metric === "latency" ? "median run" : "median right run";
  return unit === "share" ? "of all runs" : "mean per run";
};

const changeText = ({ estimate, low, high, scale, unit }: Difference): string => {
  if (estimate === null) return "not measured with both";
  const middle = toChange(estimate, scale, unit);
  if (low === null || high === null) return middle;
  return `${middle} (${toChange(low, scale, unit)} to ${toChange(high, scale, unit)})`;
};

const intervalPlot = (page: ReportPage, difference: Difference, all: readonly Difference[]): string => {
  const { low, high, estimate } = difference;
  if (low === null || high === null || estimate === null) return "";
  const place = intervalScale(difference, all);
  const tone = differenceTone(page, difference);
  return `<svg class="interval" width="100%" height="22" aria-hidden="true">
<line class="zero" x1="50%" x2="50%" y1="1" y2="21"/>
<line class="band ${tone}" x1="${formatPercent(place(low))}" x2="${formatPercent(place(high))}" y1="11" y2="11"/>
<circle class="middle ${tone}" cx="${formatPercent(place(estimate))}" cy="11" r="4.5"/></svg>`;
};

const badge = (page: ReportPage, difference: Difference): string => {
  const { conclusion, better } = difference;
  if (conclusion === "too-few") return `<span class="badge">too few inputs</span>`;
  if (conclusion === "no-evidence") return `<span class="badge">no evidence</span>`;
  if (better === null) return `<span class="badge found">differs</span>`;
  const { label } = page.armNamed(better);
  return `<span class="badge found ${differenceTone(page, difference)}">${escapeHtml(label)} is better</span>`;
};
