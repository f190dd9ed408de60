import { toAmount } from "../analysis/amounts.ts";
import type { ArmSummary } from "../result.ts";
import { escaped, foreign, percent } from "./markup.ts";
import type { Page } from "./page.ts";

const mostTools = 20;

/** Calls per run of each tool, arm under arm; the hatched part failed. */
export const toolProfile = (page: Page): string => {
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

const bar = (page: Page, arm: ArmSummary, name: string, most: number): string => {
  const use = arm.tools.find((each) => each.name === name) ?? { calls: 0, failures: 0, callsPerRun: 0 };
  const share = most === 0 ? 0 : use.callsPerRun / most;
  const failed = use.calls === 0 ? 0 : use.failures / use.calls;
  const words = `${toAmount(use.callsPerRun, "count")}${use.failures === 0 ? "" : ` · ${toAmount(Number(failed.toFixed(2)), "share")} failed`}`;
  return `<div class="tool-bar"><span class="tool-arm">${escaped(arm.label)}</span><span class="track"><span class="fill ${page.toneOf(arm.arm)}" style="width:${percent(share)}"><span class="failed" style="width:${percent(failed)}"></span></span></span><span class="number">${escaped(words)}</span></div>`;
};
