import { toAmount } from "../analysis/amounts.ts";
import type { ArmSummary } from "../result.ts";
import { type Axis, latencyAxis } from "./axis.ts";
import { dots } from "./dots.ts";
import { escaped, percent, phrase, plural } from "./markup.ts";
import type { ReportPage } from "./page.ts";

const height = 56;
const line = height / 2;

/** Every run that came back, arm by arm, with the median and where nine of ten runs have ended. */
export const latencyPlot = (page: ReportPage): string => {
  const known = page.result.runs.flatMap(({ latencyMs }) =>
    latencyMs !== null && latencyMs > 0 ? latencyMs : [],
  );
  if (known.length === 0) return `<p class="note">No run came back, so there is no latency.</p>`;
  const axis = latencyAxis(known);
  const labels = axis.ticks.map(
    ({ at, label }) => `<text class="tick" x="${percent(at)}" y="14">${escaped(label)}</text>`,
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
          title: `${input}, run ${repetition}: ${toAmount(latencyMs, "ms")}`,
          tone: page.toneOf(arm.arm),
        },
  );
  const grid = ticks.map(
    ({ at }) => `<line class="grid-line" x1="${percent(at)}" x2="${percent(at)}" y1="0" y2="${height}"/>`,
  );
  const mark = (value: number, kind: string): string =>
    `<line class="mark ${kind}" x1="${percent(place(value))}" x2="${percent(place(value))}" y1="4" y2="${height - 4}"/>`;
  const { latency, rightLatency } = arm.metrics;
  const right =
    rightLatency === undefined ? "" : ` · median of right answers ${toAmount(rightLatency.median, "ms")}`;
  const words =
    latency === undefined
      ? "no run came back"
      : `median ${toAmount(latency.median, "ms")} · 90 % within ${toAmount(latency.p90, "ms")}${right}`;
  const marks = latency === undefined ? "" : mark(latency.median, "median") + mark(latency.p90, "p90");
  return `<p class="row-label"><b>${escaped(arm.label)}</b> ${phrase(words)}</p>
<svg width="100%" height="${height}" role="img" aria-label="${escaped(`Latency of ${plural(points.length, "run")} with ${arm.label}: ${words}`)}">${grid.join("")}${dots(points, line, 22)}${marks}</svg>`;
};
