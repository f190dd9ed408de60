import { Haft, tool } from "../../dist/index.js";

/**
 * A process that calls a tool for a given time with a given concurrency after a start message, and prints the
 * number of calls.
 */
const [url = "", inFlight = "1", forMs = "1000"] = process.argv.slice(2);

const haft = await Haft.open({
  tools: [
    tool({
      name: "add",
      description: "Adds one",
      input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
      run: ({ n }: { readonly n: number }) => ({ n: n + 1 }),
    }),
  ],
  principal: { agent: "bench", allow: ["*"] },
  policy: { rules: [{ effect: "allow", tools: ["*"] }] },
  ledger: url,
});
/** Warm-up: a new process is slow at first. */
const warmUp = 1_500;
await Promise.all(
  Array.from({ length: 50 }, async () => {
    for (let n = 0; n < warmUp / 50; n++) await haft.call("add", { n });
  }),
);

process.on("message", async () => {
  const until = performance.now() + Number(forMs);
  let made = 0;
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      await haft.call("add", { n: made });
      made += 1;
    }
  };
  const began = performance.now();
  await Promise.all(Array.from({ length: Number(inFlight) }, lane));
  process.send?.({ made, ms: performance.now() - began });
  await haft.close();
  process.disconnect();
});
process.send?.("ready");
