import { changeStrips } from "./report/change-strips.ts";
import { heading } from "./report/heading.ts";
import { inputTable } from "./report/input-table.ts";
import { latencyPlot } from "./report/latency-plot.ts";
import { escaped } from "./report/markup.ts";
import { method } from "./report/method.ts";
import { metricTable } from "./report/metric-table.ts";
import { type Page, toPage } from "./report/page.ts";
import { style } from "./report/style.ts";
import { successBars } from "./report/success-bars.ts";
import { toolProfile } from "./report/tool-profile.ts";
import type { Comparison, ExperimentResult } from "./result.ts";

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
<title>${escaped(`${result.agent}: ${result.arms.map(({ label }) => label).join(" against ")}`)}</title>
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

const compared = (page: Page, comparison: Comparison): string =>
  section(`${between(page, comparison)} at a glance`, "", metricTable(page, comparison)) +
  section(
    `${between(page, comparison)}, input by input`,
    "Each dot is one input; the bar is the interval of the mean change.",
    changeStrips(page, comparison),
  );

const differing = (page: Page, comparison: Comparison): string =>
  section(
    `Inputs where ${between(page, comparison)} differ`,
    "Success first, then latencies that are far apart.",
    inputTable(page, comparison),
  );

const between = (page: Page, comparison: Comparison): string => {
  const { baseline, arm } = page.armsOf(comparison);
  return `${baseline.label} and ${arm.label}`;
};

const section = (title: string, lead: string, body: string): string =>
  `<section><h2>${escaped(title)}</h2>${lead === "" ? "" : `<p>${escaped(lead)}</p>`}${body}</section>`;
