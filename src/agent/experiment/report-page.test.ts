import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { expect, it } from "vitest";
import { answerer, questions, world } from "../../../test/kit/experiment-world.ts";
import { toReportHtml } from "./report-html.ts";
import { runExperiment } from "./run-experiment.ts";

// Whoever changes the page on purpose writes it anew with `npx vitest run src/agent/experiment/report-page.test.ts -u`.
it("the page of an experiment is the one on file, to the letter", async () => {
  const { arms, run, clock } = world(7, { a: { rightness: 0.9 }, b: { pace: 0.5, rightness: 0.6 }, c: {} });
  const options = { agent: answerer, arms, run, inputs: questions(9), runs: 3 };
  const result = await Effect.runPromise(Effect.provideService(runExperiment(options), Clock.Clock, clock));
  const page = toReportHtml({ ...result, startedAt: "2026-11-16T00:00:00.000Z" });
  await expect(page).toMatchFileSnapshot("../../../test/fixtures/experiment-report.html.txt");
});
