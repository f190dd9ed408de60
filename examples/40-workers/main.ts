// Runs executed by workers: submitted here, executed there, and parked while approval is pending.
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
//#region agent
import { agent, Haft, tool } from "haft";
import { startPostgres } from "../../test/system/kit/start-postgres.ts";

const refund = tool({
  name: "refund",
  description: "Refunds an order.",
  input: { type: "object", properties: { order: { type: "integer" } }, required: ["order"] },
  risk: "high", // so it needs approval
  run: ({ order }) => ({ refunded: order }),
});
const clerk = agent({ name: "clerk", instructions: "Refund orders.", model: "offline", tools: ["refund"] });
//#endregion

const postgres = await startPostgres();
process.env.DATABASE_URL = postgres.url;
process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");

//#region submit
import { fleet } from "haft/fleet";

const haft = await Haft.open({
  tools: [refund],
  ledger: process.env.DATABASE_URL!,
  principal: { agent: "shop", tenant: "acme", allow: ["refund"] },
  fleet: fleet(),
});
const { runId } = await haft.submit(clerk, "Refund order 7", { key: "refund-7" });
//#endregion

/** The code of a worker process, here in the same one. */
const work = async () => {
  //#region worker
  const { openWorker } = await import("haft/fleet");

  const runtime = await Haft.open({ tools: [refund], ledger: process.env.DATABASE_URL!, fleet: fleet() });
  const worker = await openWorker(runtime, { agents: [clerk], concurrency: 16 });
  process.once("SIGTERM", () => worker.drain());
  //#endregion
  return { runtime, worker };
};
const { runtime, worker } = await work();

//#region wait
const waiting = await haft.wait(runId);
assert.equal(waiting.status, "pending"); // it needs approval and occupies no worker

//#endregion

//#region answer
import { openLedger } from "haft/ledger";

const ledger = await openLedger(process.env.DATABASE_URL!); // as haft approve does, on any machine
await ledger.answer(waiting.pending[0]!.id, { kind: "allow" }, { by: "ada" });
const done = await haft.wait(runId, { untilEnded: true });
assert.equal(done.status, "done");
//#endregion

const again = await haft.submit(clerk, "Refund order 7", { key: "refund-7" });
assert.deepEqual(again, { runId, isNew: false });
const { ok } = await ledger.verify();
assert.equal(ok, true);

await ledger.end();
await worker.drain();
await runtime.close();
await haft.close();
await postgres.stop();
console.log(`${runId.slice(0, 4)}…: ${done.toolsUsed.map(({ name, ok }) => `${name} ${ok}`).join(", ")}`);
