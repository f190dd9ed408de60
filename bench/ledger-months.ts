import { chmod, mkdtemp, rm } from "node:fs/promises";
import { cpus, loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import pg from "pg";
import { installSystemPackages } from "../scripts/system-packages.ts";
import { redactor } from "../src/base/json/redact.ts";
import { createChainKeys } from "../src/ledger/durable/chain/chain-keys.ts";
import { followChain } from "../src/ledger/durable/chain/follow-chain.ts";
import { chainStart } from "../src/ledger/durable/chain/signed-row.ts";
import { dialectOf } from "../src/ledger/durable/dialect.ts";
import { createDurableLedger } from "../src/ledger/durable/durable-ledger.ts";
import { startOfMonth } from "../src/ledger/durable/months/month-tables.ts";
import { openPostgresDatabase } from "../src/ledger/postgres-database.ts";
import type { DurableLedger } from "../src/types/durable-ledger.ts";
import type { LedgerQuery } from "../src/types/ledger.ts";
import { fill } from "./months/fill.ts";
import { agentOf, type FillPlan, monthsUpTo, toolOf } from "./months/plan.ts";
import { round, table } from "./numbers.ts";

/**
 * Measures ten million calls in PostgreSQL: query times of `haft log`, verification of the newest rows, and
 * write latency while a month is pruned. The calls are generated, not written by the ledger: see
 * months/fill-chain.ts.
 */
const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "10000000" },
    months: { type: "string", default: "4" },
    chains: { type: "string", default: "3" },
    /** Number of newest rows to verify, over all chains. */
    rows: { type: "string", default: "100000" },
    json: { type: "boolean", default: false },
  },
});

const key = "5a".repeat(32);
const now = Date.now();
const say = (text: string): void => {
  process.stderr.write(`${new Date().toISOString().slice(11, 19)} ${text}\n`);
};

const folder = await mkdtemp(join(tmpdir(), "haft-bench-months-"));
await chmod(folder, 0o755);
installSystemPackages();
const { startPostgres } = await import("../test/system/kit/start-postgres.ts");
await using server = await startPostgres([
  // On disk, because ten million calls exceed the memory.
  "fsync=on",
  "shared_buffers=1GB",
  "maintenance_work_mem=512MB",
  "max_wal_size=4GB",
  "wal_level=minimal",
  "max_wal_senders=0",
]);
const plan: FillPlan = {
  calls: Number(values.calls),
  months: monthsUpTo(now, Number(values.months)),
  chains: Number(values.chains),
  key,
  folder,
};
const open = async (at: () => number): Promise<DurableLedger> =>
  createDurableLedger(await openPostgresDatabase({ url: server.url, patienceMs: 60_000 }), {
    redactor: redactor({ secrets: () => [] }),
    place: "postgres",
    keys: [Buffer.from(key, "hex")],
    now: at,
  });
const timed = async <A>(work: () => Promise<A>): Promise<{ readonly ms: number; readonly value: A }> => {
  const began = performance.now();
  const value = await work();
  return { ms: performance.now() - began, value };
};

// Opened in the first month, so that tables exist from then on.
await (await open(() => startOfMonth(plan.months[0]!) + 1_000)).end();
const client = new pg.Client({ connectionString: server.url });
await client.connect();
say(`filling ${plan.calls} calls`);
const filled = await timed(() => fill(client, plan, now));
const sizes = await client.query("SELECT pg_database_size(current_database()) AS bytes");
const gigabytes = Number(sizes.rows[0].bytes) / 1e9;
say(`filled in ${round(filled.ms / 1_000)} s, ${round(gigabytes)} GB`);

const ledger = await open(Date.now);

const last = plan.calls - 1;
const [newest] = await Effect.runPromise(ledger.entries({ limit: 1 }));
const [old] = await Effect.runPromise(ledger.entries({ limit: 1, until: startOfMonth(plan.months[1]!) }));
const middle = startOfMonth(plan.months[2] ?? plan.months[0]!);
const queries: readonly (readonly [name: string, query: LedgerQuery])[] = [
  ["the newest", {}],
  ["tool, a third of all calls", { tool: "tool-0" }],
  ["tool, one in 300", { tool: "tool-7" }],
  ["tool, no match", { tool: "nobody" }],
  ["agent", { agent: "agent-7" }],
  ["agent, no match", { agent: "nobody" }],
  ["session", { session: `session-${Math.floor(last / 40)}` }],
  ["session, no match", { session: "nobody" }],
  ["ending failed", { ending: "failed" }],
  ["ending executed", { ending: "executed" }],
  ["ending unknown, no match", { ending: "unknown" }],
  ["ending open", { ending: "open" }],
  ["run", { runId: newest?.runId ?? "" }],
  ["run, no match", { runId: "nobody" }],
  ["call", { callId: newest?.callId ?? "" }],
  ["call of the oldest month", { callId: old?.callId ?? "" }],
  ["call, no match", { callId: "nobody" }],
  ["entry", { entryId: old?.entryId ?? "" }],
  ["entry, no match", { entryId: "nobody" }],
  ["since an hour", { since: now - 3_600_000 }],
  ["until the second month", { until: startOfMonth(plan.months[1]!) }],
  ["one day", { since: middle, until: middle + 86_400_000 }],
  ["until before all, no match", { until: 1 }],
  ["tool + ending", { tool: "tool-0", ending: "failed" }],
  ["tool + ending, no match", { tool: "tool-7", ending: "unknown" }],
  ["tool + agent", { tool: toolOf(7), agent: agentOf(7) }],
  ["tool + agent, no match", { tool: "tool-8", agent: "agent-7" }],
  ["agent + ending", { agent: "agent-7", ending: "failed" }],
  ["agent + executed", { agent: "agent-7", ending: "executed" }],
  ["tool + executed, no match", { tool: "nobody", ending: "executed" }],
  ["tool + one day", { tool: "tool-7", since: middle, until: middle + 86_400_000 }],
  [
    "agent + tool + ending + one day",
    { agent: "agent-7", tool: "tool-7", ending: "failed", since: middle, until: middle + 86_400_000 },
  ],
  ["session + tool, no match", { session: `session-${Math.floor(last / 40)}`, tool: "nobody" }],
];

/** The first time, and the median of the following ones. */
const found: { name: string; firstMs: number; ms: number; rows: number }[] = [];
for (const [name, query] of queries) {
  const times: number[] = [];
  let rows = 0;
  for (let i = 0; i < 6; i += 1) {
    const { ms, value } = await timed(() => Effect.runPromise(ledger.entries({ limit: 20, ...query })));
    times.push(ms);
    rows = value.length;
  }
  const [firstMs = 0, ...others] = times;
  found.push({ name, firstMs, ms: others.toSorted((a, b) => a - b)[2] ?? 0, rows });
}
say("queries done");

const reading = await openPostgresDatabase({ url: server.url });
const verifyNewest = async (): Promise<{ readonly rows: number; readonly isWhole: boolean }> => {
  const perChain = Math.floor(Number(values.rows) / plan.chains);
  let rows = 0;
  let isWhole = true;
  const starts: { readonly seq: number; readonly hash: string }[] = [];
  for (let chain = 0; chain < plan.chains; chain += 1) {
    const { rows: heads } = await client.query(
      `SELECT seq, hash FROM haft_records WHERE seq = (SELECT max(seq) - ${perChain} FROM haft_records
         WHERE seq > $1 AND seq < $2)`,
      [chainStart(chain), chainStart(chain + 1)],
    );
    starts.push({ seq: Number(heads[0].seq), hash: heads[0].hash });
  }
  await Promise.all(
    starts.map(async (from, chain) => {
      const followed = await followChain(
        {
          database: reading,
          dialect: dialectOf(reading),
          chainKeys: createChainKeys([Buffer.from(key, "hex")]),
        },
        {
          chain,
          range: [chainStart(chain), chainStart(chain + 1)],
          from,
          expect: undefined,
          keyedFrom: Number.POSITIVE_INFINITY,
          onRows: (count) => {
            rows += count;
          },
        },
      );
      isWhole &&= followed.broken === undefined && followed.lie === undefined;
    }),
  );
  return { rows, isWhole };
};
const verified = await timed(verifyNewest);
say(`verified ${verified.value.rows} rows in ${round(verified.ms)} ms`);

const steady = new Worker(new URL("./months/steady-writer.ts", import.meta.url), {
  workerData: { url: server.url, key },
});
const report = (what: "report" | "end" = "report") =>
  new Promise<{ readonly longestMs: number; readonly writes: number }>((resolve, reject) => {
    steady.once("message", resolve);
    steady.once("error", reject);
    steady.postMessage(what);
  });
await new Promise((resolve) => steady.once("message", resolve));
await new Promise((resolve) => setTimeout(resolve, 2_000));
await report();
await new Promise((resolve) => setTimeout(resolve, 10_000));
const alone = await report();
const pruned = await timed(() => Effect.runPromise(ledger.prune(startOfMonth(plan.months[1]!) + 1_000)));
const duringPrune = await report();
say(
  `pruned ${pruned.value.rows} rows in ${round(pruned.ms)} ms; longest wait ${round(duringPrune.longestMs)} ms`,
);
await report("end");
await new Promise((resolve) => steady.once("exit", resolve));
const after = await timed(verifyNewest);
await ledger.end();
await reading.close();
await client.end();
await rm(folder, { recursive: true, force: true });

const slowest = Math.max(...found.map(({ ms }) => ms));
const result = {
  machine: { node: process.version, cpu: cpus()[0]?.model, load: loadavg()[0] },
  filled: { calls: plan.calls, seconds: filled.ms / 1_000, gigabytes },
  log: found,
  verify: {
    rows: verified.value.rows,
    ms: verified.ms,
    isWhole: verified.value.isWhole && after.value.isWhole,
  },
  prune: { ...pruned.value, ms: pruned.ms, writerAlone: alone, writerBeside: beside },
};
if (values.json) console.log(JSON.stringify(result, null, 2));
else {
  console.log(
    `${round(plan.calls)} calls, made by this bench in ${round(filled.ms / 1_000)} s: ${round(gigabytes)} GB\n`,
  );
  const rows = found.map(({ name, firstMs, ms, rows }) => [name, round(firstMs), round(ms), String(rows)]);
  console.log(table([["haft log, ms", "first", "median", "found"], ...rows]));
  console.log(`\nverify of the newest ${round(verified.value.rows)} rows: ${round(verified.ms)} ms`);
  console.log(
    `prune of a month: ${round(pruned.value.rows)} rows and ${round(pruned.value.entries)} entries in ${round(pruned.ms)} ms`,
  );
  console.log(
    `longest wait of a writer: ${round(duringPrune.longestMs)} ms during the prune (${duringPrune.writes} writes), ${round(alone.longestMs)} ms otherwise (${alone.writes})`,
  );
}
const isMet =
  slowest <= 100 &&
  verified.ms <= 5_000 &&
  beside.longestMs <= 100 &&
  result.verify.isWhole &&
  pruned.value.isComplete;
process.exit(isMet ? 0 : 1);
