import { fleet, openWorker } from "../../dist/fleet.js";
import { Haft } from "../../dist/index.js";
import { clerk, work } from "./clerk.ts";

/**
 * A worker process of Haft, or of pg-boss alone, which only reports its jobs. Both take batches of the same
 * size; a run waits for the disk six times, so a Haft worker has up to 64 in flight.
 */
const [kind = "haft", url = "", batch = "16"] = process.argv.slice(2);
const batchSize = Number(batch);

if (kind === "pg-boss") {
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({
    connectionString: url,
    useListenNotify: true,
    supervise: false,
    schedule: false,
  });
  boss.on("error", () => {});
  await boss.start();
  await boss.work("jobs", { batchSize, pollingIntervalSeconds: 0.5 }, async (jobs) => {
    process.send?.(jobs.map(({ id }) => id));
  });
  process.on("message", () => boss.stop({ graceful: false }).then(() => process.exit(0)));
} else {
  const haft = await Haft.open({
    tools: [work],
    ledger: url,
    principal: { agent: "worker", allow: ["*"] },
    policy: { rules: [{ effect: "allow", tools: ["*"] }] },
    fleet: fleet(),
  });
  const worker = await openWorker(haft, { agents: [clerk], concurrency: 64, batchSize });
  process.on("message", async () => {
    await worker.close();
    await haft.close();
    process.exit(0);
  });
}
process.send?.("ready");
