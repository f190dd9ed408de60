import { fleet, openWorker } from "../../dist/fleet.js";
import { Haft } from "../../dist/index.js";
import { clerk, work } from "./clerk.ts";

/**
 * A worker in a process of its own: of Haft, or of pg-boss alone, which only says which jobs it was given. Both take as many at
 * once; a run waits for the disk six times, so a worker of Haft has up to 64 under way.
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
