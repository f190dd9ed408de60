// The same agent with two libraries: which one is faster, and which one is right more often?
import assert from "node:assert/strict";
//#region arms
import { agent, Haft, tool } from "haft";
import { experiment, toReportHtml } from "haft/agent";

const lookUp = tool({
  name: "look_up",
  description: "Looks up the capital of a country",
  input: { country: { type: "string" }, required: ["country"] },
  annotations: { readOnly: true },
  run: () => "",
});

const capitals: Record<string, string> = { Norway: "Oslo", Italy: "Rome", Japan: "Tokyo", Peru: "Lima" };
const pause = (milliseconds: number) => new Promise((resolve) => setTimeout(resolve, milliseconds));
const arms = {
  // Calls a slow but careful source.
  careful: {
    look_up: async ({ country }: { country: string }) => {
      await pause(12);
      return capitals[country] ?? "unknown";
    },
  },
  // Guesses at once.
  quick: { look_up: () => "Oslo" },
};
//#endregion

//#region run
const guide = agent({
  name: "guide",
  instructions: "Know capitals.",
  model: "offline",
  tools: [lookUp.spec],
});
const haft = await Haft.open({ principal: { agent: "guide", allow: ["*"] } });
const result = await experiment({
  agent: guide,
  arms,
  inputs: ["Norway", "Italy", "Japan", "Peru", "Norway", "Italy", "Japan", "Peru"].map((country, index) => ({
    id: `${country} ${index}`,
    input: `Look up the capital, country: ${country}`,
    expect: capitals[country],
  })),
  runs: 3,
  measure: (response, { expect }) => ({ success: response.content.includes(String(expect)) }),
  run: (asked, input, options) => haft.run(asked, input, options),
});
console.log(result.verdict); // one sentence per metric
const page = toReportHtml(result); // a report in one file
//#endregion
const [comparison] = result.comparisons;
const found = (metric: string) => comparison?.differences.find((each) => each.metric === metric);
assert.equal(found("latency")?.better, "quick");
assert.equal(found("success")?.estimate, -0.75);
assert.match(page, /^<!doctype html>/i);
await haft.close();
