import { parseArgs } from "node:util";
import { type FleetModel, simulate } from "./sim-fleet/simulate.ts";

/**
 * Simulates a fleet: the queue, the workers, their database and the anchors. Costs of transactions and writes
 * were measured by `npm run bench:fleet`; set those of your server with `--transaction-ms` and `--write-ms`.
 */
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
    seconds: { type: "string", default: "60" },
    calls: { type: "string", default: "3" },
    "model-ms": { type: "string", default: "800" },
    "tool-ms": { type: "string", default: "200" },
    concurrency: { type: "string", default: "64" },
    lanes: { type: "string", default: "2" },
    "transaction-ms": { type: "string", default: "0.45" },
    "write-ms": { type: "string", default: "0.06" },
    "round-trip-ms": { type: "string", default: "1" },
  },
});

if (values.help) {
  console.log(`npm run sim:fleet -- [--seconds 60] [--calls 3] [--model-ms 800] [--tool-ms 200] [--concurrency 64]
                     [--lanes 2] [--transaction-ms 0.45] [--write-ms 0.06] [--round-trip-ms 1] [--json]

  npm run sim:fleet                      how far one PostgreSQL of two cores goes
  npm run sim:fleet -- --lanes 16        the same with sixteen
  npm run sim:fleet -- --model-ms 5000   with a slow model: more runs wait, and the database has less to do`);
  process.exit(0);
}

const base: Omit<FleetModel, "workers" | "runsPerSecond"> = {
  concurrency: Number(values.concurrency),
  callsPerRun: Number(values.calls),
  modelMs: Number(values["model-ms"]),
  toolMs: Number(values["tool-ms"]),
  databaseLanes: Number(values.lanes),
  transactionMs: Number(values["transaction-ms"]),
  writeMs: Number(values["write-ms"]),
  roundTripMs: Number(values["round-trip-ms"]),
  mostInBatch: 256,
  anchorEveryMs: 5_000,
  headMs: 0.02,
};
if (Object.values(base).some((value) => !(value >= 0))) {
  console.error("Every option of sim:fleet must be a number of at least 0.");
  process.exit(2);
}

/** Number of workers for the concurrent runs, plus a quarter. */
const workersFor = (runsPerSecond: number): number => {
  const { callsPerRun, modelMs, toolMs, concurrency } = base;
  const seconds = ((callsPerRun + 1) * modelMs + callsPerRun * toolMs) / 1_000;
  return Math.max(1, Math.ceil((runsPerSecond * seconds * 1.25) / concurrency));
};

const found = [10, 50, 100, 200, 400, 800, 1_600].map((runsPerSecond) => {
  const workers = workersFor(runsPerSecond);
  return { runsPerSecond, workers, ...simulate({ ...base, workers, runsPerSecond }, Number(values.seconds)) };
});

if (values.json) console.log(JSON.stringify(found));
else {
  const round = (value: number): string => (value >= 10 ? String(Math.round(value)) : value.toFixed(1));
  const rows = found.map((each) => [
    String(each.runsPerSecond),
    String(each.workers),
    round(each.endedPerSecond),
    round(each.waitMs.p50),
    round(each.waitMs.p99),
    round(each.runMs.p50),
    String(each.queuedAtEnd),
    `${Math.round(each.databaseBusy * 100)} %`,
    round(each.writesPerTransaction),
    `${(each.anchorsBusy * 100).toFixed(2)} %`,
  ]);
  const head = [
    "runs/s",
    "workers",
    "ended/s",
    "wait p50 ms",
    "p99",
    "run p50 ms",
    "queued",
    "database",
    "writes each",
    "anchors",
  ];
  const widths = head.map((name, i) => Math.max(name.length, ...rows.map((row) => row[i]!.length)));
  for (const row of [head, ...rows]) console.log(row.map((cell, i) => cell.padStart(widths[i]!)).join("  "));
}
