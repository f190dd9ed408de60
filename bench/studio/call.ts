import { setTimeout as pause } from "node:timers/promises";
import { tool } from "../../src/exports/index.ts";
import { Haft } from "../../src/runtime/haft.ts";

/** Makes calls at a given rate for a number of seconds in a separate process, and prints their number. */
const [ledger = "", rate = "0", seconds = "0"] = process.argv.slice(2);

const noop = tool({
  name: "noop",
  description: "Does nothing.",
  input: { type: "object" },
  annotations: { readOnly: true },
  run: () => ({}),
});
const haft = await Haft.open({ ledger, tools: [noop], principal: { agent: "bench", allow: ["*"] } });
const stepMs = 20;
const began = performance.now();
const running = new Set<Promise<unknown>>();
let made = 0;
while (performance.now() - began < Number(seconds) * 1_000) {
  const due = Math.floor(((performance.now() - began) / 1_000) * Number(rate));
  for (; made < due; made += 1) {
    const call = haft.call("noop", {}).finally(() => running.delete(call));
    running.add(call);
  }
  await pause(stepMs);
}
await Promise.all(running);
process.stdout.write(`${Math.round(made / ((performance.now() - began) / 1_000))}\n`);
await haft.close();
