// A tool with untrusted code, and a trusted one that may block: both end at their timeout.
import assert from "node:assert/strict";
//#region tools
import { Haft, tool } from "haft";
import { code, worker } from "haft/sandbox";

const rank = tool({
  name: "rank",
  description: "Ranks items by a formula that a customer wrote",
  input: {
    type: "object",
    properties: { scores: { type: "object", additionalProperties: { type: "number" } } },
    required: ["scores"],
  } as const,
  output: { type: "array", items: { type: "string" } } as const,
  implementation: code({
    source: "return Object.entries(input.scores).sort((a, b) => b[1] - a[1]).map(([name]) => name)",
    limits: { cpuMs: 200, memoryBytes: 32 * 1024 * 1024 },
  }),
});

const primes = tool({
  name: "primes",
  description: "Counts the primes below a number",
  input: { type: "object", properties: { below: { type: "integer" } }, required: ["below"] } as const,
  timeout: "2 seconds",
  implementation: worker(new URL("./primes.ts", import.meta.url)),
});
//#endregion

const forever = tool({
  name: "forever",
  description: "Never ends by itself",
  input: { type: "object", properties: {} },
  implementation: code({ source: "for (;;);", limits: { cpuMs: 100 } }),
});

const haft = await Haft.open({ tools: [rank, primes, forever], principal: { agent: "demo", allow: ["*"] } });

//#region calls
const ranking = await haft.call("rank", { scores: { ada: 3, bob: 7, eve: 5 } });
assert.deepEqual(ranking, ["bob", "eve", "ada"]);

assert.equal(await haft.call("primes", { below: 1_000 }), 168);
await assert.rejects(haft.call("primes", { below: 1e12 }), { code: "timed_out" });
await assert.rejects(haft.call("forever", {}), { code: "sandbox_failed" });
//#endregion
await haft.close();
