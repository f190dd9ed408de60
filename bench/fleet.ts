import { type ChildProcess, fork } from "node:child_process";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs } from "node:util";
import { fleet } from "../dist/fleet.js";
import { Haft } from "../dist/index.js";
import { installSystemPackages } from "../scripts/system-packages.ts";
import { clerk, work } from "./fleet/clerk.ts";
import { delayingProxy } from "./fleet/delaying-proxy.ts";
import { round, table } from "./numbers.ts";

/**
 * Simulates many machines as processes over one PostgreSQL: runs per second compared to pg-boss alone with
 * the same workers and batches, and ledger calls per second of one, two, four and twenty processes.
 */
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** Measuring time per figure. */
    seconds: { type: "string", default: "6" },
    only: { type: "string" },
    /** Jobs in flight, and batch size of a worker. */
    "in-flight": { type: "string", default: "64" },
    batch: { type: "string", default: "16" },
  },
});
const forMs = Number(values.seconds) * 1_000;
const inFlight = Number(values["in-flight"]);
const isAsked = (part: string): boolean => values.only === undefined || values.only === part;

process.env.HAFT_LEDGER_KEY = Buffer.alloc(32, 1).toString("base64");
installSystemPackages();
const { startPostgres } = await import("../test/system/kit/start-postgres.ts");
// With fsync, as in production.
const server = await startPostgres(["fsync=on", "shared_buffers=256MB"]);
let databases = 0;
const freshDatabase = (): Promise<string> => {
  databases += 1;
  return server.createDatabase(`bench_${databases}`);
};

const start = async (file: string, words: readonly string[]): Promise<ChildProcess> => {
  const child = fork(fileURLToPath(new URL(`./fleet/${file}`, import.meta.url)), [...words]);
  await new Promise((resolve, reject) => {
    child.once("message", resolve);
    child.once("exit", () => reject(new Error(`${file} ended before it was ready`)));
  });
  child.removeAllListeners("exit");
  return child;
};

const stop = async (child: ChildProcess): Promise<void> => {
  const gone = new Promise((resolve) => child.once("exit", resolve));
  child.send("stop");
  const late = setTimeout(() => child.kill("SIGKILL"), 5_000);
  await gone;
  clearTimeout(late);
};

interface Measured {
  readonly perSecond: number;
  readonly p50: number;
  readonly p99: number;
}

/** Warm-up: a new process is slow at first. */
const warmUpEach = 400;

/** Keeps a number of jobs in flight for the measuring time, after a warm-up of every worker. */
const closedLoop = async (workers: number, one: () => Promise<void>): Promise<Measured> => {
  const took: number[] = [];
  let left = warmUpEach * workers;
  const warming = async (): Promise<void> => {
    while (left-- > 0) await one();
  };
  await Promise.all(Array.from({ length: inFlight }, warming));
  const from = performance.now();
  const until = from + forMs;
  const lane = async (): Promise<void> => {
    while (performance.now() < until) {
      const began = performance.now();
      await one();
      took.push(performance.now() - began);
    }
  };
  await Promise.all(Array.from({ length: inFlight }, lane));
  const sorted = took.toSorted((left, right) => left - right);
  const at = (share: number): number => sorted[Math.floor(sorted.length * share)] ?? Number.NaN;
  return { perSecond: (sorted.length * 1_000) / (performance.now() - from), p50: at(0.5), p99: at(0.99) };
};

const measureBoss = async (workers: number): Promise<Measured> => {
  const url = await freshDatabase();
  const { PgBoss } = await import("pg-boss");
  const boss = new PgBoss({ connectionString: url, useListenNotify: true });
  boss.on("error", () => {});
  await boss.start();
  await boss.createQueue("jobs", { notify: true });
  const waiting = new Map<string, () => void>();
  const children = await Promise.all(
    Array.from({ length: workers }, () => start("worker.ts", ["pg-boss", url, values.batch])),
  );
  for (const child of children) {
    child.on("message", (ids) => {
      for (const id of ids as readonly string[]) waiting.get(id)?.();
    });
  }
  const measured = await closedLoop(workers, async () => {
    const id = crypto.randomUUID();
    const done = new Promise<void>((resolve) => waiting.set(id, resolve));
    await boss.send("jobs", { id }, { id });
    await done;
    waiting.delete(id);
  });
  await Promise.all(children.map(stop));
  await boss.stop({ graceful: false });
  return measured;
};

const measureHaft = async (workers: number): Promise<Measured> => {
  const url = await freshDatabase();
  const haft = await Haft.open({
    tools: [work],
    ledger: url,
    principal: { agent: "front", allow: ["*"] },
    fleet: fleet(),
  });
  const children = await Promise.all(
    Array.from({ length: workers }, () => start("worker.ts", ["haft", url, values.batch])),
  );
  const measured = await closedLoop(workers, async () => {
    const { runId } = await haft.submit(clerk, "order 7");
    const { status } = await haft.wait(runId);
    if (status !== "done") throw new Error(`a run ended ${status}`);
  });
  await Promise.all(children.map(stop));
  await haft.close();
  return measured;
};

interface Load {
  readonly processes: number;
  readonly inFlight: number;
  readonly roundTripMs: number;
}

const measureLedger = async ({ processes, inFlight: each, roundTripMs }: Load): Promise<number> => {
  const url = new URL(await freshDatabase());
  const proxy = roundTripMs === 0 ? undefined : await delayingProxy(Number(url.port), roundTripMs / 2);
  if (proxy !== undefined) url.port = String(proxy.port);
  const words = [url.href, String(each), String(forMs)];
  const children = await Promise.all(Array.from({ length: processes }, () => start("caller.ts", words)));
  const results = children.map(
    (child) =>
      new Promise<{ readonly made: number; readonly ms: number }>((resolve) =>
        child.once("message", resolve as never),
      ),
  );
  const gone = children.map((child) => new Promise((resolve) => child.once("exit", resolve)));
  for (const child of children) child.send("go");
  const all = await Promise.all(results);
  await Promise.all(gone);
  proxy?.close();
  return all.reduce((sum, { made, ms }) => sum + (made * 1_000) / ms, 0);
};

const counts = [1, 2, 4, 8] as const;
const found: Record<string, unknown> = {
  load: loadavg()[0],
  seconds: forMs / 1_000,
  inFlight,
  batch: values.batch,
};

if (isAsked("runs")) {
  const rows: string[][] = [
    ["workers", "pg-boss alone, jobs/s", "p50 ms", "p99 ms", "Haft runs/s", "p50 ms", "p99 ms", "share"],
  ];
  const runs: object[] = [];
  for (const workers of counts) {
    const boss = await measureBoss(workers);
    const haft = await measureHaft(workers);
    const share = haft.perSecond / boss.perSecond;
    runs.push({ workers, boss, haft, share });
    const cells = [boss, haft].map(({ perSecond, p50, p99 }) => [perSecond, p50, p99].map(round));
    rows.push([String(workers), ...cells.flat(), `${Math.round(share * 100)} %`]);
  }
  found.runs = runs;
  if (!values.json) console.log(`${table(rows)}\n`);
}

if (isAsked("ledger")) {
  const rows: string[][] = [["ledger, calls/s", "1 process", "2", "4", "20"]];
  const ledger: object[] = [];
  const loads = [
    { inFlight: 64, roundTripMs: 0 },
    { inFlight: 1, roundTripMs: 0 },
    { inFlight: 1, roundTripMs: 40 },
    { inFlight: 16, roundTripMs: 40 },
  ];
  for (const load of loads) {
    const perSecond: number[] = [];
    for (const processes of [1, 2, 4, 20]) perSecond.push(await measureLedger({ processes, ...load }));
    ledger.push({ ...load, perSecond });
    const way = load.roundTripMs === 0 ? "on loopback" : `${load.roundTripMs} ms round trip`;
    rows.push([`${load.inFlight} in flight, ${way}`, ...perSecond.map(round)]);
  }
  found.ledger = ledger;
  if (!values.json) console.log(table(rows));
}

if (values.json) console.log(JSON.stringify(found));
await server.stop();
