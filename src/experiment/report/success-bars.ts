import { toAmount } from "../analysis/amounts.ts";
import type { ArmSummary } from "../result.ts";
import { escaped, foreign, percent, plural } from "./markup.ts";
import type { Page } from "./page.ts";

const mostReasons = 5;

/** How often each arm did what it was asked, and why it did not. */
export const successBars = (page: Page): string =>
  `<div class="grid">${page.arms.map((arm) => armCard(page, arm)).join("")}</div>`;

const armCard = (page: Page, arm: ArmSummary): string => {
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
