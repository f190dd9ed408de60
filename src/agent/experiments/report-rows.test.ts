import { describe, expect, it } from "vitest";
import { experimentResult, experimentRun } from "../../../test/kit/experiment-result.ts";
import type { ExperimentRun } from "./experiment-result.ts";
import { toReportHtml } from "./report-html.ts";

type Changes = (id: string) => Partial<ExperimentRun>;

/** Inputs that succeed with `a`, and with the given changes for `b`. */
const runs = (count: number, b: Changes, a: Changes = () => ({})): readonly ExperimentRun[] =>
  Array.from({ length: count }, (_, index) => `q${index + 1}`).flatMap((id) => [
    experimentRun("a", id, a(id)),
    experimentRun("b", id, b(id)),
  ]);
const page = (records: readonly ExperimentRun[], textOf?: (id: string) => string) =>
  toReportHtml(experimentResult(records, textOf));
const part = (html: string, title: string): string =>
  html.split("<section>").find((each) => each.includes(`<h2>${title}`))!;
const differing = (html: string): string => part(html, "Inputs where A and B differ");
/** The cells of one row, without their markup. */
const cells = (html: string): readonly (string | undefined)[] =>
  [...html.matchAll(/<td class="number[^>]*>([^<]*)<\/td>/g)].map(([, value]) => value);

describe("inputs to read first", () => {
  it("are at most forty, with the number of the others", () => {
    const html = differing(page(runs(45, () => ({ success: false }))));
    expect(html.split('<tr><th scope="row">')).toHaveLength(41);
    expect(html).toContain("and 5 more inputs; the JSON result has them all.");
    const all = differing(page(runs(40, () => ({ success: false }))));
    expect(all.split('<tr><th scope="row">')).toHaveLength(41);
    expect(all).not.toContain("more input");
  });

  it("have a dash when an arm has no latency", () => {
    const lost = { success: false, status: "threw", latencyMs: null } as const;
    expect(cells(differing(page(runs(2, (id) => (id === "q1" ? lost : {})))))).toEqual([
      "100 %",
      "0 %",
      "–",
      "–",
      "–",
    ]);
  });

  it("have the reason when there is no answer", () => {
    const html = differing(
      page(
        runs(2, (id) => ({
          success: false,
          answer: "",
          ...(id === "q1" ? { reason: "the provider is down" } : {}),
        })),
      ),
    );
    expect(html).toContain("✗ <bdi>the provider is down</bdi>");
    expect(html).toContain("✗ <bdi>no answer</bdi>");
    expect(html).toContain("✓ <bdi>Forty-two.</bdi>");
  });

  it("do not include small differences in milliseconds when a latency is 0", () => {
    const still = (id: string) => (id === "q1" ? { latencyMs: 0 } : {});
    const slower = (id: string) => (id === "q1" ? { latencyMs: 0 } : { latencyMs: 105 });
    expect(differing(page(runs(3, slower, still)))).toContain(
      "None: each input comes out about the same in both arms.",
    );
    const wrong = differing(page(runs(3, (id) => ({ ...slower(id), success: id !== "q2" }), still)));
    expect(cells(wrong)).toEqual(["100 %", "0 %", "100 ms", "105 ms", "+5 ms"]);
  });

  it("are found in a result with a single metric", () => {
    const result = experimentResult(runs(2, () => ({ success: false })));
    const comparisons = result.comparisons.map((each) => ({
      ...each,
      differences: each.differences.filter(({ metric }) => metric === "success"),
    }));
    expect(cells(differing(toReportHtml({ ...result, comparisons })))).toEqual([
      ...["100 %", "0 %", "–", "–", "–"],
      ...["100 %", "0 %", "–", "–", "–"],
    ]);
  });
});

describe("latencies", () => {
  it("name an arm without a completed run", () => {
    const html = part(page(runs(3, () => ({ status: "threw", success: false, latencyMs: null }))), "Latency");
    expect(html).toContain("<b>A</b> median 100\u00a0ms");
    expect(html).toContain("<b>B</b> no run completed");
    expect(html.split('class="mark median"')).toHaveLength(2);
    expect(html).not.toMatch(/NaN|Infinity|undefined/);
  });

  it("of 0 are left out of the logarithmic axis", () => {
    const none = () => ({ latencyMs: 0 });
    expect(part(page(runs(3, none, none)), "Latency")).toContain("latency was not measured");
    const some = part(page(runs(3, none)), "Latency");
    expect(some.split('<circle class="dot')).toHaveLength(4);
    expect(some).not.toMatch(/NaN|Infinity|undefined/);
  });
});

it("truncates long texts and long names of arms", () => {
  const long = "x".repeat(200);
  const name = "the arm with the longest name";
  const html = page(
    runs(1, () => ({ success: false })).map((each) => (each.arm === "b" ? { ...each, arm: name } : each)),
    () => long,
  );
  expect(html).toContain(`<bdi>${"x".repeat(160)}…</bdi>`);
  expect(html).not.toContain("x".repeat(161));
  expect(html).toContain("<h2>A and the arm with the longes… at a glance");
});

it("shows an empty bar for a tool that an arm never called", () => {
  const tools = [{ name: "search", calls: 2, failures: 1 }];
  const html = part(page(runs(1, () => ({ tools }))), "Tools");
  const words = [...html.matchAll(/<span class="number">([^<]*)<\/span>/g)].map(([, text]) => text);
  expect(words).toEqual(["0", "2 · 50 % failed"]);
  expect(html).toContain('style="width:0%"><span class="failed" style="width:0%">');
  expect(html).not.toMatch(/NaN|Infinity|undefined/);
});
