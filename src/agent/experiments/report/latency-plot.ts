import { formatAmount } from "../analysis/format-amounts.ts";
import type { ArmSummary } from "../experiment-result.ts";
import { type Axis, latencyAxis } from "./axis.ts";
import { drawDots } from "./draw-dots.ts";
import { escapeHtml, formatPercent, ownText, pluralize } from "./markup.ts";
import type { ReportPage } from "./report-page.ts";

const height = 56;
const line = height / 2;

export const latencyPlot = (page: ReportPage): string => {
  const known = page.result.runs.flatMap(({ latencyMs }) =>
    latencyMs !== null && latencyMs > 0 ? latencyMs : [],
  );
  if (known.length === 0) return `<p class="note">No run came back, so there is no latency.</p>`;
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
      ? "no run came back"
      : `median ${formatAmount(latency.median, "ms")} · 90 % within ${formatAmount(latency.p90, "ms")}${right}`;
  const marks = latency === undefined ? "" : mark(latency.median, "median") + mark(latency.p90, "p90");
  return `<p class="row-label"><b>${escapeHtml(arm.label)}</b> ${ownText(words)}</p>
<svg width="100%" height="${height}" role="img" aria-label="${escapeHtml(`Latency of ${pluralize(points.length, "run")} with ${arm.label}: ${words}`)}">${grid.join("")}${drawDots(points, line, 22)}${marks}</svg>`;
};
