// One model turn with five calls: a valid one, a slow one, an invalid one, a denied one and an unknown one.
import assert from "node:assert/strict";
import { styleText } from "node:util";
import { failures, Haft, type LedgerEntry, type RawCall, type Reply, tool } from "haft";
import { limit, retry, timeout } from "haft/layers";
import { z } from "zod";

//#region define
const weather = tool({
  name: "get_weather",
  description: "Current weather for a city",
  input: z.object({ city: z.string(), unit: z.enum(["celsius", "fahrenheit"]).default("celsius") }),
  output: z.object({ city: z.string(), degrees: z.number() }),
  annotations: { readOnly: true },
  run: async ({ city, unit }) => ({ city, degrees: unit === "celsius" ? 21 : 70 }),
}).layer(timeout("5 seconds"), retry({ attempts: 3 }), limit({ concurrency: 10 }));
//#endregion

const report = tool({
  name: "yearly_report",
  description: "Adds up a year of sales; slow",
  input: z.object({ year: z.int() }),
  annotations: { readOnly: true },
  run: ({ year }, { signal }) =>
    new Promise((resolve, reject) => {
      const done = setTimeout(() => resolve({ year, total: 1_204_500 }), 2_000);
      signal.addEventListener("abort", () => {
        clearTimeout(done);
        reject(signal.reason);
      });
    }),
}).layer(timeout("50 millis"));

const remove = tool({
  name: "delete_account",
  description: "Permanently deletes a customer's account",
  input: z.object({ account: z.string() }),
  risk: "critical",
  annotations: { destructive: true },
  run: () => assert.fail("a denied call never runs"),
});

//#region turn
const haft = await Haft.open({
  tools: [weather, report, remove],
  principal: { agent: "demo", allow: ["*"] },
  policy: {
    rules: [
      { effect: "allow", tools: ["*"] },
      { effect: "deny", tools: ["delete_*"], when: { properties: { account: { pattern: "^A-" } } } },
    ],
  },
});

// Calls as a model sends them: its own ids and names, arguments as text.
const calls: RawCall[] = [
  { id: "call_1", tool: "get_weather", input: '{"city":"Oslo"}' },
  { id: "call_2", tool: "yearly_report", input: '{"year":2026}' },
  { id: "call_3", tool: "get_weather", input: '{"city":7,"unit":"kelvin"}' },
  { id: "call_4", tool: "delete_account", input: '{"account":"A-17"}' },
  { id: "call_5", tool: "get_wether", input: '{"city":"Oslo"}' },
];
const replies = await haft.turn(calls);
//#endregion

const entries = await haft.log();
await haft.close();

if (process.argv.includes("--json")) console.log(JSON.stringify({ replies, entries }, null, 2));
else show(replies, entries);

assert.deepEqual(
  replies.map((reply) => [reply.id, reply.failure?.code ?? "ok"]),
  [
    ["call_1", "ok"],
    ["call_2", "timed_out"],
    ["call_3", "invalid_input"],
    ["call_4", "denied"],
    ["call_5", "unknown_tool"],
  ],
);
assert.equal(replies[0]?.text, '{"city":"Oslo","degrees":21}');
assert.equal(entries.length, 5, "every call is in the ledger, also those that never ran");

/** Prints how far each call got in the pipeline, and the reply to the model. */
function show(all: readonly Reply[], log: readonly LedgerEntry[]): void {
  const stages = ["hydrate", "bind", "authorize", "layers", "run", "check", "record", "reply"];
  const paint = (color: "green" | "red" | "dim" | "bold", text: string) =>
    process.stdout.isTTY && !process.env.NO_COLOR ? styleText(color, text) : text;
  console.log(paint("bold", "One model turn, five calls, one pipeline\n"));
  for (const reply of all) {
    const entry = log.find((one) => one.callId === reply.id);
    const stopped = reply.failure === undefined ? undefined : failures[reply.failure.code].stage;
    const reached = stopped === undefined ? stages.length : stages.indexOf(stopped);
    const way = stages.map((stage, index) => {
      if (index < reached || stage === "record" || stage === "reply") return paint("green", stage);
      return index === reached ? paint("red", `✗ ${stage}`) : paint("dim", "·");
    });
    console.log(
      `${paint("bold", reply.id)}  ${reply.tool}(${entry?.input})  ${entry?.durationMs?.toFixed(1)} ms`,
    );
    console.log(`  ${way.join(" → ")}`);
    console.log(
      `  ${paint(reply.ok ? "green" : "red", reply.ok ? "ok" : (reply.failure?.code ?? "pending"))}  ${reply.text}\n`,
    );
  }
}
