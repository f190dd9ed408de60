import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Client } from "@modelcontextprotocol/client";
import { StdioClientTransport } from "@modelcontextprotocol/client/stdio";
import { Haft } from "../dist/index.js";
import { measureTargets, openTargets } from "./mcp/gateway.ts";
import { measureWays, openWays } from "./mcp/stdio.ts";
import { round, spread, table } from "./numbers.ts";

const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** One of: stdio, connect, gateway. */
    only: { type: "string" },
    rounds: { type: "string", default: "7" },
    seconds: { type: "string", default: "4" },
    /** Exit code 1 when a target is missed. */
    check: { type: "boolean", default: false },
  },
});
const rounds = Number(values.rounds);
const wants = (part: string): boolean => values.only === undefined || values.only === part;
const everything = new URL(
  "node_modules/@modelcontextprotocol/server-everything/dist/index.js",
  import.meta.url,
).pathname;
const stdio = [everything, "stdio"];
type Row = Readonly<Record<string, string | number>>;
const report: Record<string, readonly Row[]> = {};
const missed: string[] = [];

if (wants("stdio")) {
  const ways = await openWays(stdio);
  const measured = await measureWays(ways, rounds, 400);
  await Promise.all(ways.map(({ close }) => close()));
  const floor = measured[0]!.micros;
  report.stdio = measured.map(({ name, micros }) => ({
    name,
    micros: round(micros),
    ratio: round(micros / floor),
  }));
  const ratio = measured.find(({ name }) => name === "Haft")!.micros / floor;
  if (ratio > 1.15) missed.push(`a stdio call costs ${round(ratio)} × the SDK client's; the bar is 1.15`);
}

if (wants("connect")) {
  const [alone, ten]: [number[], number[]] = [[], []];
  for (let i = 0; i < Math.min(rounds, 5); i++) {
    // A user of the SDK waits for the slowest of ten clients started at once.
    alone.push(await slowestOfTen());
    ten.push(await connectTen());
  }
  const [slowest, ours] = [spread(alone).median, spread(ten).median];
  report.connect = [
    { name: "slowest of ten SDK clients at once", ms: round(slowest), ratio: 1 },
    { name: "Haft with ten servers", ms: round(ours), ratio: round(ours / slowest) },
  ];
  if (ours / slowest > 1.5)
    missed.push(`ten servers take ${round(ours / slowest)} × the slowest one; the bar is 1.5`);
}

if (wants("gateway")) {
  const folder = mkdtempSync(join(tmpdir(), "haft-bench-"));
  const targets = await openTargets(everything, folder);
  try {
    const measured = await measureTargets(targets, rounds, Number(values.seconds), 32);
    const bare = measured[0]!.perSecond;
    report.gateway = measured.map(({ name, perSecond }) => ({
      name,
      "calls/s": Math.round(perSecond),
      share: `${Math.round((perSecond / bare) * 100)} %`,
    }));
    const [, ours, theirs] = measured.map(({ perSecond }) => perSecond);
    if (ours! < 0.4 * bare)
      missed.push(`the gateway passes ${Math.round((ours! / bare) * 100)} %; the bar is 40 %`);
    if (ours! <= theirs!)
      missed.push(
        `mcp-proxy passes more: ${Math.round(theirs!)} against ${Math.round(ours!)} calls a second`,
      );
  } finally {
    await Promise.all(targets.map(({ close }) => close()));
    rmSync(folder, { recursive: true, force: true });
  }
}

if (values.json) console.log(JSON.stringify({ ...report, missed }, null, 2));
else {
  for (const [part, rows] of Object.entries(report)) console.log(`${part}\n${table(toCells(rows))}\n`);
  for (const miss of missed) console.log(`missed: ${miss}`);
}
process.exit(values.check && missed.length > 0 ? 1 : 0);

async function slowestOfTen(): Promise<number> {
  const since = performance.now();
  const clients = Array.from({ length: 10 }, () => new Client({ name: "bench", version: "1" }));
  await Promise.all(
    clients.map(async (client) => {
      await client.connect(
        new StdioClientTransport({ command: process.execPath, args: stdio, stderr: "ignore" }),
      );
      await client.listTools();
    }),
  );
  const took = performance.now() - since;
  await Promise.all(clients.map((client) => client.close()));
  return took;
}

async function connectTen(): Promise<number> {
  const names = Array.from({ length: 10 }, (_, index) => `everything${index}`);
  const servers = Object.fromEntries(names.map((name) => [name, { command: process.execPath, args: stdio }]));
  const since = performance.now();
  const haft = await Haft.open({
    principal: { agent: "bench", allow: ["*"] },
    mcp: { lock: false, servers },
  });
  const took = performance.now() - since;
  const down = haft.mcp.list().filter(({ status }) => status !== "connected");
  await haft.close();
  if (down.length > 0) throw new Error(`not connected: ${JSON.stringify(down)}`);
  return took;
}

function toCells(rows: readonly Row[]): readonly (readonly string[])[] {
  return [Object.keys(rows[0]!), ...rows.map((row) => Object.values(row).map(String))];
}
