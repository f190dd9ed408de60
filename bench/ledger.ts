import { execFile, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { Haft, tool } from "../dist/index.js";
import { openLedger } from "../dist/ledger.js";
import { round, type Spread, spread, table, withRange } from "./numbers.ts";

/**
 * Measures the cost of a durable ledger: a turn compared to the AI SDK without one, calls per second under
 * concurrency, calls lost by a kill, and memory over a million calls.
 */
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    rounds: { type: "string", default: "5" },
    /** Number of calls of the memory test. */
    calls: { type: "string", default: "1000000" },
    /** Internal: a process that calls until it is killed, and prints the calls that were answered. */
    load: { type: "string" },
  },
});

const here = fileURLToPath(import.meta.url);
const run = promisify(execFile);

const openAt = (file: string): Promise<Haft> =>
  Haft.open({
    tools: [
      tool({
        name: "add",
        description: "Adds one",
        input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
        run: ({ n }) => ({ n: n + 1 }),
      }),
    ],
    principal: { agent: "bench", allow: ["*"] },
    policy: { rules: [{ effect: "allow", tools: ["*"] }] },
    ledger: `sqlite:${file}`,
  }) as Promise<Haft>;

/** A number of calls with limited concurrency. */
const callMany = async (haft: Haft, total: number, inFlight: number, reported?: (n: number) => void) => {
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next < total) {
      const n = next++;
      await haft.call("add", { n });
      reported?.(n);
    }
  };
  const begin = performance.now();
  await Promise.all(Array.from({ length: inFlight }, lane));
  return total / ((performance.now() - begin) / 1000);
};

if (values.load !== undefined) {
  const haft = await openAt(values.load);
  haft.on("tools.executed", ({ entryId }) => process.stdout.write(`${entryId}\n`));
  await callMany(haft, Number.POSITIVE_INFINITY, 64);
}

const folder = mkdtempSync(join(tmpdir(), "haft-bench-ledger-"));
process.once("exit", () => rmSync(folder, { recursive: true, force: true }));

const turns = async (): Promise<Record<string, readonly Spread[]>> => {
  const only = ["--only", "floor,haft,haft-sqlite,ai-sdk", "--rounds", values.rounds, "--json"];
  const turn = fileURLToPath(new URL("./turn.ts", import.meta.url));
  const { stdout } = await run(process.execPath, [turn, ...only], { maxBuffer: 1 << 24 });
  const { results, failed } = JSON.parse(stdout) as {
    readonly results: readonly { readonly contender: string; readonly microseconds: Spread }[];
    readonly failed: object;
  };
  if (Object.keys(failed).length > 0)
    throw new Error(`some contenders could not be measured: ${JSON.stringify(failed)}`);
  const found: Record<string, Spread[]> = {};
  for (const { contender, microseconds } of results) {
    found[contender] = [...(found[contender] ?? []), microseconds];
  }
  return found;
};

const throughput = async (inFlight: number): Promise<Spread> => {
  const samples: number[] = [];
  for (let taken = 0; taken < Number(values.rounds); taken++) {
    await using haft = await openAt(join(folder, `rate-${inFlight}-${taken}.db`));
    await callMany(haft, 3_000, inFlight);
    samples.push(await callMany(haft, 20_000, inFlight));
  }
  return spread(samples);
};

/** Answered calls that were lost by a kill under load. */
const lostOnKill = async (): Promise<{
  readonly answered: number;
  readonly lost: number;
  readonly ok: boolean;
}> => {
  const file = join(folder, "killed.db");
  const child = spawn(process.execPath, [here, "--load", file], { stdio: ["ignore", "pipe", "inherit"] });
  let received = "";
  child.stdout.on("data", (chunk) => {
    received += chunk;
  });
  await new Promise((resolve) => setTimeout(resolve, 3_000));
  child.kill("SIGKILL");
  await new Promise((resolve) => child.once("close", resolve));
  const answered = received.split("\n").slice(0, -1);
  const ledger = await openLedger(`sqlite:${file}`);
  const kept = new Map(
    (await ledger.entries({ tool: "add" })).map(({ entryId, ending }) => [entryId, ending] as const),
  );
  const { ok } = await ledger.verify();
  await ledger.end();
  return { answered: answered.length, lost: answered.filter((id) => kept.get(id) !== "executed").length, ok };
};

/** Megabytes after garbage collection at ten points. */
const memory = async (): Promise<
  readonly { readonly calls: number; readonly heap: number; readonly rss: number }[]
> => {
  if (globalThis.gc === undefined) return [];
  const file = join(folder, "long.db");
  await using haft = await openAt(file);
  const part = Number(values.calls) / 10;
  const points: { calls: number; heap: number; rss: number }[] = [];
  for (let done = 1; done <= 10; done++) {
    await callMany(haft, part, 64);
    globalThis.gc();
    const { heapUsed, rss } = process.memoryUsage();
    points.push({ calls: done * part, heap: heapUsed / 1e6, rss: rss / 1e6 });
    if (process.stderr.isTTY) process.stderr.write(`${done * part} calls, ${statSync(file).size} bytes\n`);
  }
  return points;
};

const costs = await turns();
const [one, many] = [await throughput(1), await throughput(64)];
const killed = await lostOnKill();
const points = await memory();
const manifest = (path: string) => JSON.parse(readFileSync(new URL(path, import.meta.url), "utf8")).version;
const machine = {
  node: process.version,
  cpu: cpus()[0]?.model,
  load: loadavg()[0],
  haft: manifest("../package.json"),
};

if (values.json) {
  console.log(
    JSON.stringify({ machine, turns: costs, perSecond: { one, many }, killed, memory: points }, null, 2),
  );
} else {
  const names = {
    floor: "floor",
    haft: "Haft, memory ledger",
    "haft-sqlite": "Haft, SQLite ledger",
    "ai-sdk": "AI SDK, no ledger",
  };
  const rows = Object.entries(names).map(([id, name]) => [name, ...(costs[id] ?? []).map(withRange)]);
  console.log(table([["one turn, µs", "1 call", "8 calls"], ...rows]));
  const ratio = (at: number): string =>
    round(costs["haft-sqlite"]![at]!.median / costs["ai-sdk"]![at]!.median);
  console.log(
    `\nHaft with SQLite against AI SDK without a ledger: ${ratio(0)} × (1 call), ${ratio(1)} × (8 calls)`,
  );
  console.log(`calls a second: ${withRange(one)} one by one, ${withRange(many)} with 64 in flight`);
  console.log(
    `killed under load: ${killed.answered} answered, ${killed.lost} lost, chain ${killed.ok ? "whole" : "BROKEN"}`,
  );
  for (const { calls, heap, rss } of points)
    console.log(`${round(calls)} calls: heap ${round(heap)} MB, rss ${round(rss)} MB`);
}
process.exit(killed.lost === 0 && killed.ok ? 0 : 1);
