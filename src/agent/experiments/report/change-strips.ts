import { formatAmount } from "../analysis/metrics.ts";
import { asSentence } from "../analysis/to-verdict.ts";
import type { Comparison, Difference } from "../experiment-result.ts";
import { changeAxis, toChange } from "./axis.ts";
import {
  capitalize,
  differenceTone,
  drawDots,
  escapeHtml,
  formatPercent,
  ownText,
  pluralize,
  type ReportPage,
} from "./markup.ts";

const height = 128;
const line = 46;

export const changeStrips = (page: ReportPage, comparison: Comparison): string => {
  const panels = comparison.differences
    .filter(({ pairs }) => pairs.some(({ change }) => change !== 0))
    .map((difference) => panel(page, comparison, difference));
  const same = comparison.differences.filter(
    ({ pairs }) => pairs.length > 0 && pairs.every(({ change }) => change === 0),
  );
  const note =
    same.length === 0
      ? ""
      : `<p class="note">The same for every input: ${escapeHtml(same.map(({ label }) => label).join(", "))}.</p>`;
  return `<div class="grid">${panels.join("")}</div>${note}`;
};

const panel = (page: ReportPage, comparison: Comparison, difference: Difference): string => {
  const { arm, baseline } = page.armsOf(comparison);
  const { label, sentence, pairs } = difference;
  return `<figure class="card"><figcaption><b>${escapeHtml(capitalize(label))}</b><span>${ownText(asSentence(sentence))}</span></figcaption>
<svg width="100%" height="${height}" role="img" aria-label="${escapeHtml(`Change of ${label} for each of ${pluralize(pairs.length, "input")}. ${sentence}`)}">
${plot(page, difference, baseline.label, arm.label)}</svg>
<div class="ends"><span>← less with ${escapeHtml(arm.label)}</span><span>more with ${escapeHtml(arm.label)} →</span></div></figure>`;
};

const plot = (page: ReportPage, difference: Difference, baseline: string, arm: string): string => {
  const { pairs, scale, unit, low, high, estimate } = difference;
  const { place, ticks } = changeAxis(difference);
  const grid = ticks.map(
    ({ at, label }) =>
      `<line class="grid-line" x1="${formatPercent(at)}" x2="${formatPercent(at)}" y1="6" y2="106"/><text class="tick" x="${formatPercent(at)}" y="122">${escapeHtml(label)}</text>`,
  );
  const points = pairs.map((pair) => ({
    at: place(pair.change),
    title: `${pair.input}: ${baseline} ${formatAmount(pair.baseline, unit)}, ${arm} ${formatAmount(pair.arm, unit)} (${toChange(pair.change, scale, unit)})`,
    tone: "input",
  }));
  const tone = differenceTone(page, difference);
  const interval =
    low === null || high === null || estimate === null
      ? ""
      : `<line class="band ${tone}" x1="${formatPercent(place(low))}" x2="${formatPercent(place(high))}" y1="96" y2="96"/><circle class="middle ${tone}" cx="${formatPercent(place(estimate))}" cy="96" r="5"/>`;
  return `${grid.join("")}<line class="zero" x1="50%" x2="50%" y1="4" y2="108"/>${drawDots(points, line, 38)}${interval}`;
};
