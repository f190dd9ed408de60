import { appendFileSync, writeSync } from "node:fs";
import { join } from "node:path";
import { redactor } from "../../../src/base/json/redact.ts";
import { fleet, openWorker, type Worker } from "../../../src/exports/fleet.ts";
import { Haft } from "../../../src/exports/index.ts";
import { openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import { biller, billingTools, type WorkerProgramOptions } from "./billing.ts";

/** A worker process that is killed, stopped and disconnected. */
const { place, folder, times, concurrency, patienceMs } = JSON.parse(
  process.argv[2] ?? "{}",
) as WorkerProgramOptions;

const tools = billingTools((mark) => appendFileSync(join(folder, "witness"), `${mark}\n`));
const open = async (): Promise<Worker> => {
  const ledger = await openDurableLedger(place, { redactor: redactor(), times, busyMs: patienceMs });
  const haft = await Haft.open({
    tools,
    ledger,
    principal: { agent: "operator", allow: [] },
    fleet: fleet({ url: place }),
  });
  return openWorker(haft, { agents: [biller], concurrency, sweepMs: 500, attempts: 1_000, graceMs: 500 });
};

// A worker that fails to open is restarted like one that dies later; its error output would hide real errors.
const worker = await open().catch(() => process.exit(4));
process.once("SIGTERM", async () => {
  await worker.drain();
  process.exit(0);
});
void worker.closed.then(() => process.exit(0));
process.stdin.resume().once("end", () => process.exit(3));
writeSync(1, "ready\n");
