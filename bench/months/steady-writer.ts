import { parentPort, workerData } from "node:worker_threads";
import * as Effect from "effect/Effect";
import { redactor } from "../../src/base/json/redact.ts";
import { openDurableLedger } from "../../src/ledger/open-durable-ledger.ts";

/**
 * Opens and closes one call after another in a separate thread, and reports the maximum latency of a write.
 */
const { url, key } = workerData as { readonly url: string; readonly key: string };
const ledger = await openDurableLedger(url, { redactor: redactor({ secrets: () => [] }), key });

let longestMs = 0;
let writes = 0;
let isOver = false;

const timed = async (write: Effect.Effect<void, unknown>): Promise<void> => {
  const began = performance.now();
  await Effect.runPromise(write);
  longestMs = Math.max(longestMs, performance.now() - began);
  writes += 1;
};

parentPort?.on("message", (what: "report" | "end") => {
  if (what === "end") isOver = true;
  parentPort?.postMessage({ longestMs, writes });
  longestMs = 0;
  writes = 0;
});
parentPort?.postMessage({ longestMs, writes });

const never = { session: undefined, correlationId: undefined };
for (let n = 0; !isOver; n += 1) {
  const entryId = `steady-${process.pid}-${n}`;
  const call = { entryId, callId: entryId, runId: "steady", tool: "steady", input: "1", agent: "steady" };
  await timed(ledger.open({ ...call, ...never, at: Date.now() }));
  await timed(
    ledger.close({
      entryId,
      ending: "executed",
      tool: "steady",
      code: undefined,
      message: undefined,
      decision: undefined,
      flow: undefined,
      result: "2",
      original: undefined,
      notes: [],
      durationMs: 1,
    }),
  );
}
await ledger.end();
parentPort?.close();
