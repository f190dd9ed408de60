import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import {
  answeringAgent,
  sampleQuestions,
  simulateExperiment,
} from "../../../test/kit/simulated-experiment.ts";
import type { Difference } from "./experiment-result.ts";
import { toReportHtml } from "./report-html.ts";
import { runExperiment } from "./run-experiment.ts";

const conduct = () => {
  const { arms, run, clock } = simulateExperiment(7, {
    a: { rightness: 0.9 },
    b: { pace: 0.5, rightness: 0.6 },
    c: {},
  });
  const libraries = { a: "old.ts", b: "new.ts" };
  const options = { agent: answeringAgent, arms, libraries, run, inputs: sampleQuestions(9), runs: 3 };
  return Effect.runPromise(Effect.provideService(runExperiment(options), Clock.Clock, clock));
};

// To change the page, run `npx vitest run src/agent/experiments/report-page.test.ts -u`.
it("matches the page on file exactly", async () => {
  const page = toReportHtml({ ...(await conduct()), startedAt: "2026-11-16T00:00:00.000Z" });
  await expect(page).toMatchFileSnapshot("../../../test/fixtures/experiment-report.html.txt");
});

it("names metrics without a difference together, and draws no band without both ends", async () => {
  const result = await conduct();
  const changed = (change: (each: Difference) => Difference): string => {
    const [first, ...rest] = result.comparisons;
    const differences = first!.differences.map(change);
    return toReportHtml({ ...result, comparisons: [{ ...first!, differences }, ...rest] });
  };
  const note = "The same for every input:";
  expect(toReportHtml(result)).not.toContain(note);
  const still = ["turns", "latency"];
  const labels = result.comparisons[0]!.differences.filter(({ metric }) => still.includes(metric)).map(
    ({ label }) => label,
  );
  const same = changed((each) =>
    still.includes(each.metric)
      ? { ...each, pairs: each.pairs.map((pair) => ({ ...pair, change: 0 })) }
      : each,
  );
  expect(same).toContain(`${note} ${labels.join(", ")}.`);
  const bands = (page: string): number => page.split('<line class="band').length;
  const all = bands(toReportHtml(result));
  for (const end of ["low", "high", "estimate"]) {
    // One band is in the table and one in the plot.
    expect(bands(changed((each) => (each.metric === "latency" ? { ...each, [end]: null } : each)))).toBe(
      all - 2,
    );
  }
});
