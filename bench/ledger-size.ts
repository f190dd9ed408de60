import { randomBytes } from "node:crypto";
import { parseArgs } from "node:util";
import { fleet, openWorker } from "../dist/fleet.js";
import { agent, Haft, type Message, type Model, type ModelReply, tool } from "../dist/index.js";
import { openLedger } from "../dist/ledger.js";
import { installSystemPackages } from "../scripts/system-packages.ts";
import { round, table } from "./numbers.ts";

/**
 * Measures the size of a call in PostgreSQL, on disk and in the WAL: single calls, and calls of runs of a
 * worker. Arguments and results have about a hundred characters each.
 */
const { values } = parseArgs({
  options: { calls: { type: "string", default: "10000" }, json: { type: "boolean", default: false } },
});
const count = Number(values.calls);
const callsPerRun = 3;

const lookUp = tool({
  name: "look_up",
  description: "Looks something up.",
  input: {
    type: "object",
    properties: { id: { type: "integer" }, text: { type: "string" } },
    required: ["id"],
  },
  run: ({ id }) => ({ id, found: "x".repeat(100) }),
});

const usage = { inputTokens: 1, outputTokens: 1 };
const reply = (messages: readonly Message[]): ModelReply => {
  const id = messages.filter(({ role }) => role === "tool").length;
  if (id === callsPerRun) return { text: "y".repeat(100), calls: [], finish: "stop", usage };
  const input = JSON.stringify({ id, text: "y".repeat(100) });
  return { text: "", calls: [{ id: `c${id}`, tool: "look_up", input }], finish: "calls", usage };
};
const model: Model = {
  id: "scripted",
  generate: async ({ messages }) => reply(messages),
  stream: async function* ({ messages }) {
    yield { kind: "reply", reply: reply(messages) };
  },
};
const clerk = agent({ name: "clerk", instructions: "Look things up.", model, tools: ["look_up"] });

/** Runs all work with limited concurrency. */
const inTurn = async (all: number, atOnce: number, work: (id: number) => Promise<unknown>): Promise<void> => {
  let next = 0;
  const one = async (): Promise<void> => {
    while (next < all) await work(next++);
  };
  await Promise.all(Array.from({ length: atOnce }, one));
};

type Mode = "calls" | "runs";

const open = (url: string) =>
  Haft.open({ tools: [lookUp], ledger: url, principal: { agent: "bench", allow: ["*"] }, fleet: fleet() });

const perform = async (haft: Awaited<ReturnType<typeof open>>, mode: Mode, all: number): Promise<void> => {
  if (mode === "calls") {
    await inTurn(all, 50, (id) => haft.call("look_up", { id, text: "y".repeat(100) }));
    return;
  }
  await inTurn(Math.ceil(all / callsPerRun), 50, async (id) => {
    const { runId } = await haft.submit(clerk, `look up ${id}`);
    await haft.wait(runId);
  });
};

installSystemPackages();
const { startPostgres } = await import("../test/system/kit/start-postgres.ts");
await using server = await startPostgres(["fsync=on"]);
process.env.HAFT_LEDGER_KEY = randomBytes(32).toString("base64");

const measure = async (mode: Mode) => {
  const url = await server.createDatabase(mode);
  const haft = await open(url);
  const worker = mode === "runs" ? await openWorker(haft, { agents: [clerk], concurrency: 50 }) : undefined;
  const ledger = await openLedger(url);
  const look = async () => {
    const [row] = await server.query(
      `SELECT pg_database_size($1) AS bytes, pg_current_wal_lsn() - '0/0' AS wal,
        (SELECT count(*) FROM pg_stat_activity WHERE datname = $1) AS connections`,
      [mode],
    );
    const { rows } = await ledger.verify();
    return { bytes: Number(row!.bytes), wal: Number(row!.wal), connections: Number(row!.connections), rows };
  };
  await perform(haft, mode, callsPerRun);
  const before = await look();
  const since = performance.now();
  await perform(haft, mode, count);
  const seconds = (performance.now() - since) / 1_000;
  const after = await look();
  await ledger.end();
  await worker?.drain();
  await haft.close();
  const each = (name: keyof typeof after): number => (after[name] - before[name]) / count;
  return {
    what: mode,
    calls: count,
    perSecond: Math.round(count / seconds),
    rowsEach: Number(each("rows").toFixed(1)),
    bytesEach: Math.round(each("bytes")),
    walEach: Math.round(each("wal")),
    connections: after.connections,
  };
};

const found = [await measure("calls"), await measure("runs")];
if (values.json) console.log(JSON.stringify(found));
else {
  const rows = found.map(({ what, perSecond, rowsEach, bytesEach, walEach, connections }) => [
    what,
    ...[perSecond, rowsEach, bytesEach, walEach, connections].map(round),
  ]);
  console.log(
    table([
      [round(count), "a second", "rows each", "bytes each", "bytes of log each", "connections"],
      ...rows,
    ]),
  );
}
