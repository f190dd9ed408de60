// allow-sleep in this file: workers are disturbed at random moments, and the report says how long it took
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { setTimeout as pause } from "node:timers/promises";
import { type RandomSource, randomStream } from "../../../src/agent/experiments/statistics/random-stream.ts";
import { fleet } from "../../../src/exports/fleet.ts";
import { Haft } from "../../../src/exports/index.ts";
import { openLedger } from "../../../src/ledger/ledger-admin.ts";
import { bundleProgram } from "../kit/bundle-program.ts";
import { type CuttingProxy, cuttingProxy } from "../kit/cutting-proxy.ts";
import type { PostgresServer } from "../kit/start-postgres.ts";
import { biller, marksOf, type WorkerProgramOptions } from "./billing.ts";

export interface Campaign {
  readonly seed: number;
  readonly workers: number;
  readonly concurrency: number;
  readonly runs: number;
  readonly disturbances: number;
  readonly restarts: number;
  /** Maximum pause between two disturbances. */
  readonly everyMs: number;
  readonly withinMs: number;
  readonly postgres: PostgresServer;
  readonly name: string;
}

export interface Findings {
  readonly runs: number;
  readonly done: number;
  readonly parked: number;
  readonly failed: number;
  /** Number of runs that are not done, by reason. */
  readonly reasons: Readonly<Record<string, number>>;
  readonly effects: number;
  /** Effects that happened more than once. */
  readonly twice: readonly string[];
  /** Runs that neither ended nor are pending with a reason. */
  readonly lost: readonly string[];
  readonly unknown: number;
  readonly disturbed: Readonly<Record<string, number>>;
  readonly isWhole: boolean;
  readonly seconds: number;
  readonly complaints: string;
}

const times = { leaseMs: 3_000, beatMs: 400, returnMs: 300, lookMs: 300 };

/**
 * Kills, stops, disconnects and drains workers at random while they execute runs, and then compares the
 * ledger with the observed effects.
 */
export const campaign = async (plan: Campaign): Promise<Findings> => {
  const { seed, runs, postgres, restarts, disturbances } = plan;
  const random = randomStream(seed, "fleet");
  const folder = mkdtempSync(join(tmpdir(), "haft-fleet-"));
  const program = await bundleProgram(new URL("worker-program.ts", import.meta.url), folder);
  const url = await postgres.createDatabase(plan.name);
  const since = performance.now();
  const workers: WorkerProcess[] = [];
  try {
    const front = await Haft.open({
      ledger: url,
      principal: { agent: "front", allow: ["*"] },
      fleet: fleet(),
      tools: (await import("./billing.ts")).billingTools(() => {}),
    });
    for (let n = 0; n < plan.workers; n++) workers.push(await workerProcess(program, folder, url, plan));
    const names = Array.from({ length: runs }, (_, n) => `run-${n}`);
    const submitting = submitAll(front, names, (disturbances * plan.everyMs) / 2);
    const disturbed: Record<string, number> = {};
    const restartAt = new Set(
      Array.from({ length: restarts }, (_, n) => Math.floor(((n + 1) * disturbances) / (restarts + 1))),
    );
    for (let n = 0; n < disturbances; n++) {
      await pause(random() * plan.everyMs);
      if (restartAt.has(n)) {
        await postgres.restart();
        disturbed.restart = (disturbed.restart ?? 0) + 1;
      }
      const worker = workers[Math.floor(random() * workers.length)]!;
      const kind = worker.disturb(random);
      disturbed[kind] = (disturbed[kind] ?? 0) + 1;
    }
    const ids = await submitting;
    for (const worker of workers) await worker.calm();
    await untilOver(url, ids, since + plan.withinMs);
    const complaints = workers.map((worker) => worker.complaints()).join("");
    await Promise.all(workers.splice(0).map((worker) => worker.end()));
    await front.close();
    return { ...(await judge(url, folder, names, ids)), disturbed, complaints, seconds: secondsSince(since) };
  } finally {
    await Promise.all(workers.map((worker) => worker.end()));
    rmSync(folder, { recursive: true, force: true });
  }
};

const secondsSince = (since: number): number => Math.round((performance.now() - since) / 100) / 10;

/** Submits runs while workers are disturbed. Retries with the same key, so that each stays one run. */
const submitAll = async (
  front: Haft,
  names: readonly string[],
  overMs: number,
): Promise<readonly string[]> => {
  const ids: string[] = [];
  const since = performance.now();
  let at = 0;
  const next = async (): Promise<void> => {
    while (at < names.length) {
      const index = at++;
      const name = names[index]!;
      await pause(Math.max(0, since + (overMs * index) / names.length - performance.now()));
      for (;;) {
        try {
          const { runId } = await front.submit(biller, name, { key: name, tenant: `tenant-${index % 5}` });
          ids[index] = runId;
          break;
        } catch {
          await pause(100);
        }
      }
    }
  };
  await Promise.all(Array.from({ length: 32 }, next));
  return ids;
};

const untilOver = async (url: string, ids: readonly string[], until: number): Promise<void> => {
  const wanted = new Set(ids);
  for (;;) {
    const left = await openLefts(url, wanted);
    if (left === 0 || performance.now() > until) return;
    await pause(500);
  }
};

const openLefts = async (url: string, wanted: ReadonlySet<string>): Promise<number> => {
  try {
    const admin = await openLedger(url, { readOnly: true });
    const running = await admin.runs({ status: "running" });
    await admin.end();
    return running.filter(({ runId }) => wanted.has(runId)).length;
  } catch {
    return wanted.size;
  }
};

const judge = async (
  url: string,
  folder: string,
  names: readonly string[],
  ids: readonly string[],
): Promise<Omit<Findings, "disturbed" | "complaints" | "seconds">> => {
  const file = join(folder, "witness");
  const seen = existsSync(file) ? readFileSync(file, "utf8").split("\n").filter(Boolean) : [];
  const counts = new Map<string, number>();
  for (const mark of seen) counts.set(mark, (counts.get(mark) ?? 0) + 1);
  const wanted = new Set(names.flatMap(marksOf));
  const twice = [...counts].filter(([mark, count]) => count > 1 || !wanted.has(mark)).map(([mark]) => mark);
  const admin = await openLedger(url);
  try {
    const { ok } = await admin.verify();
    const byId = new Map((await admin.runs()).map((run) => [run.runId, run]));
    const unknown = await admin.entries({ ending: "unknown" });
    const unsure = new Set(unknown.map(({ runId }) => runId));
    const all = ids.map((id) => byId.get(id));
    const count = (status: string): number => all.filter((run) => run?.status === status).length;
    const lost = all.flatMap((run, index) => {
      if (run === undefined) return [`${names[index]}: not in the ledger`];
      if (run.status === "running") return [`${names[index]}: still running (held: ${run.isHeld})`];
      if (run.status === "cancelled" || run.status === "stopped") return [`${names[index]}: ${run.reason}`];
      if (run.status !== "done" && run.reason === undefined)
        return [`${names[index]}: ${run.status} without a reason`];
      // A call without effect is recorded as unknown, or its run is not done.
      const missing = marksOf(names[index]!).filter((mark) => !counts.has(mark));
      const isSkipped = run.status === "done" && missing.length > 0 && !unsure.has(run.runId);
      return isSkipped ? missing.map((mark) => `${mark}: done without its effect`) : [];
    });
    const reasons: Record<string, number> = {};
    for (const run of all) {
      if (run === undefined || run.status === "done") continue;
      const reason = `${run.status}: ${run.reason}`.replaceAll(run.runId, "RUN");
      reasons[reason] = (reasons[reason] ?? 0) + 1;
    }
    return {
      reasons,
      runs: ids.length,
      done: count("done"),
      parked: count("pending"),
      failed: count("failed"),
      effects: seen.length,
      twice,
      lost,
      unknown: unknown.length,
      isWhole: ok,
    };
  } finally {
    await admin.end();
  }
};

interface WorkerProcess {
  readonly disturb: (random: RandomSource) => string;
  /** Ends the current disturbance; the worker works again. */
  readonly calm: () => Promise<void>;
  readonly complaints: () => string;
  readonly end: () => Promise<void>;
}

const workerProcess = async (
  program: string,
  folder: string,
  url: string,
  { concurrency }: Campaign,
): Promise<WorkerProcess> => {
  const address = new URL(url);
  const proxy: CuttingProxy = await cuttingProxy(Number(address.port));
  address.port = String(proxy.port);
  const options: WorkerProgramOptions = {
    place: address.href,
    folder,
    times,
    concurrency,
    patienceMs: 4_000,
  };
  let complaints = "";
  let child: ChildProcess | undefined;
  let isEnding = false;
  let isDisturbed = Promise.resolve();
  const start = (): void => {
    if (isEnding) return;
    const started = spawn(process.execPath, ["--no-warnings", program, JSON.stringify(options)], {
      stdio: ["pipe", "ignore", "pipe"],
    });
    started.stdin?.on("error", () => {});
    started.stderr?.on("data", (chunk) => {
      complaints = `${complaints}${chunk}`.slice(-4_000);
    });
    // A supervisor restarts it after any end.
    started.once("exit", () => setTimeout(start, 50));
    child = started;
  };
  start();
  const disturbances: Readonly<Record<string, (random: RandomSource) => Promise<void>>> = {
    kill: async () => {
      child?.kill("SIGKILL");
    },
    drain: async () => {
      child?.kill("SIGTERM");
    },
    stop: async (random) => {
      const stopped = child;
      stopped?.kill("SIGSTOP");
      await pause(500 + random() * 6_000);
      stopped?.kill("SIGCONT");
    },
    cut: async () => {
      proxy.cutAll();
    },
    "black hole": async (random) => {
      proxy.holdBack(true);
      await pause(500 + random() * 6_000);
      proxy.holdBack(false);
    },
  };
  const kinds = Object.keys(disturbances);
  return {
    disturb: (random) => {
      const kind = kinds[Math.floor(random() * kinds.length)]!;
      const disturbed = disturbances[kind]!(random);
      isDisturbed = Promise.all([isDisturbed, disturbed]).then(() => {});
      return kind;
    },
    calm: () => isDisturbed,
    complaints: () => complaints,
    end: async () => {
      isEnding = true;
      await isDisturbed;
      if (child !== undefined && child.exitCode === null && child.signalCode === null) {
        child.kill("SIGKILL");
        await once(child, "exit");
      }
      await proxy[Symbol.asyncDispose]();
    },
  };
};
