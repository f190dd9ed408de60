import { formatAmount } from "../analysis/metrics.ts";
import type { Comparison, ExperimentRun, InputPair } from "../experiment-result.ts";
import { toChange } from "./axis.ts";
import { escapeHtml, foreignText, pluralize, type ReportPage } from "./markup.ts";

const maxRows = 40;
const minLatencyChange = Math.log(1.5);

interface TableLine {
  readonly id: string;
  readonly success: InputPair | undefined;
  readonly latency: InputPair | undefined;
  readonly isRatio: boolean;
}

export const inputTable = (page: ReportPage, comparison: Comparison): string => {
  const found = (name: string) => comparison.differences.find(({ metric }) => metric === name);
  const byInput = (pairs: readonly InputPair[] = []) => new Map(pairs.map((pair) => [pair.input, pair]));
  const [successes, latencies] = [byInput(found("success")?.pairs), byInput(found("latency")?.pairs)];
  const isRatio = found("latency")?.scale === "ratio";
  const lines = page.result.inputs
    .map(({ id }): TableLine => ({ id, success: successes.get(id), latency: latencies.get(id), isRatio }))
    .filter((line) => successOf(line) > 0 || latencyOf(line) >= minLatencyChange)
    .sort((one, other) => successOf(other) - successOf(one) || latencyOf(other) - latencyOf(one));
  if (lines.length === 0)
    return `<p class="note">None: each input comes out about the same in both arms.</p>`;
  const { baseline, arm } = page.armsOf(comparison);
  const rows = lines.slice(0, maxRows).map((line) => tableRow(page, comparison, line));
  const left = lines.length - rows.length;
  return `<table class="inputs"><thead><tr><th scope="col">Input</th><th scope="col">Success ${escapeHtml(baseline.label)}</th><th scope="col">Success ${escapeHtml(arm.label)}</th>
<th scope="col">Latency ${escapeHtml(baseline.label)}</th><th scope="col">Latency ${escapeHtml(arm.label)}</th><th scope="col">Change</th></tr></thead><tbody>${rows.join("")}</tbody></table>
${left > 0 ? `<p class="note">and ${pluralize(left, "more input")}; the JSON result has them all.</p>` : ""}`;
};

const successOf = ({ success }: TableLine): number => Math.abs(success?.change ?? 0);
const latencyOf = ({ latency, isRatio }: TableLine): number =>
  latency === undefined || !isRatio ? 0 : Math.abs(Math.log1p(latency.change));

const tableRow = (
  page: ReportPage,
  { baseline, arm }: Comparison,
  { id, success, latency, isRatio }: TableLine,
): string => {
  const { inputs, runs } = page.result;
  const text = inputs.find((input) => input.id === id)!.input;
  const [ours, theirs] = [baseline, arm].map((name) => page.armNamed(name).label);
  const cell = (label: string, value: string, tone = ""): string =>
    `<td class="number ${tone}" data-label="${escapeHtml(label)}">${escapeHtml(value)}</td>`;
  const share = (value: number | undefined): string =>
    value === undefined ? "–" : formatAmount(value, "share");
  const time = (value: number | undefined): string => (value === undefined ? "–" : formatAmount(value, "ms"));
  const change =
    latency === undefined ? "–" : toChange(latency.change, isRatio ? "ratio" : "difference", "ms");
  const wins = (name: string, more = 0, less = 0): string => (more > less ? `wins ${page.toneOf(name)}` : "");
  return `<tr><th scope="row">${foreignText(text, 160)}<span class="hint">${foreignText(id, 60)}</span>${answers(
    page,
    runs.filter((run) => run.input === id && (run.arm === baseline || run.arm === arm)),
  )}</th>
${cell(`Success ${ours}`, share(success?.baseline), wins(baseline, success?.baseline, success?.arm))}${cell(`Success ${theirs}`, share(success?.arm), wins(arm, success?.arm, success?.baseline))}
${cell(`Latency ${ours}`, time(latency?.baseline))}${cell(`Latency ${theirs}`, time(latency?.arm))}${cell("Change", change)}</tr>`;
};

const answers = (page: ReportPage, runs: readonly ExperimentRun[]): string => {
  const items = runs
    .toSorted((one, other) => one.repetition - other.repetition)
    .map(
      ({ arm, success, answer, reason }) =>
        `<li><span class="who ${page.toneOf(arm)}">${escapeHtml(page.armNamed(arm).label)}</span> ${success ? "✓" : "✗"} ${foreignText(answer === "" ? (reason ?? "no answer") : answer, 240)}</li>`,
    );
  return `<details><summary>${pluralize(items.length, "answer")}</summary><ul class="answers">${items.join("")}</ul></details>`;
};
