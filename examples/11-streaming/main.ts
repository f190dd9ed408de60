// A run streamed to a terminal and cancelled by Ctrl-C. The offline model plans by simple rules, without a
// key.
import assert from "node:assert/strict";
//#region agent
import { agent, Haft, tool } from "haft";
import { offline } from "haft/models";
import { z } from "zod";

const forecast = tool({
  name: "get_forecast",
  description: "The weather forecast for a city",
  input: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  run: async ({ city }, { progress }) => {
    progress("asking the station");
    return city === "Oslo" ? "snow" : "sun";
  },
});
//#endregion

const stopped: unknown[] = [];
const census = tool({
  name: "count_people",
  description: "Counts the people of a city, one by one",
  input: z.object({ city: z.string() }),
  annotations: { readOnly: true },
  run: (_, { signal }) =>
    new Promise((_, reject) => {
      signal.addEventListener("abort", () => {
        stopped.push(signal.reason);
        reject(signal.reason);
      });
      setImmediate(() => process.emit("SIGINT")); // simulates Ctrl-C
    }),
});

//#region agent

const guide = agent({
  name: "guide",
  instructions: "Help with cities.",
  model: offline(), // the same as "offline"
  tools: ["*"],
});
const haft = await Haft.open({ tools: [forecast], principal: { agent: "guide", allow: ["*"] } });
//#endregion
haft.register(census);

//#region tell
const tell = async (question: string) => {
  const stop = new AbortController();
  const onInterrupt = () => stop.abort();
  process.once("SIGINT", onInterrupt); // Ctrl-C cancels the run, not the process
  console.log(`> ${question}`);
  const stream = haft.stream(guide, question, { signal: stop.signal });
  const kinds: string[] = [];
  for await (const event of stream) {
    kinds.push(event.kind);
    if (event.kind === "text") process.stdout.write(event.text);
    if (event.kind === "reset") process.stdout.write("\n(once more)\n");
    if (event.kind === "call-start") console.log(`  ${event.callId} ${event.tool} …`);
    if (event.kind === "call-progress") console.log(`  ${event.callId} ${event.update}`);
    if (event.kind === "call-end") console.log(`  ${event.callId} ${event.ok ? "done" : event.error}`);
    if (event.kind === "done") console.log(`\n[${event.response.status}]\n`);
  }
  process.off("SIGINT", onInterrupt);
  return { kinds, response: await stream.response };
};
//#endregion

const streamed = await tell("What is the forecast for Oslo? What is the forecast for Rome?");
assert.equal(streamed.response.status, "done");
assert.match(streamed.response.content, /snow\n.*sun/);
assert.deepEqual(streamed.kinds.filter((kind) => kind.startsWith("call-")).sort(), [
  "call-end",
  "call-end",
  "call-progress",
  "call-progress",
  "call-start",
  "call-start",
]);
assert.deepEqual(
  streamed.kinds.filter((kind) => !kind.startsWith("call-") && kind !== "text"),
  ["usage", "calls", "turn", "usage", "turn", "done"],
);

const cancelled = await tell("Count the people of Tokyo");
assert.equal(cancelled.response.status, "cancelled");
assert.deepEqual(cancelled.kinds, ["usage", "calls", "call-start", "call-end", "turn", "done"]);
assert.equal(stopped.length, 1, "the tool that was running is stopped too");
assert.equal(cancelled.response.toolsUsed[0]?.ok, false, "and its call is answered all the same");
await haft.close();
