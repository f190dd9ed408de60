import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { Haft } from "../src/runtime/haft.ts";
import { studio } from "../src/server/studio-api/studio.ts";
import { round, table } from "./numbers.ts";
import { fillSqlite } from "./studio/fill-sqlite.ts";

/**
 * Measures the Studio API over a SQLite ledger with a million calls: pages of calls, filters and the
 * overview. The calls are generated, not written by the ledger: see studio/fill-sqlite.ts.
 */
const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1000000" },
    days: { type: "string", default: "30" },
    /** An existing ledger. */
    file: { type: "string" },
    /** Or a ledger in PostgreSQL. */
    ledger: { type: "string" },
  },
});

const key = "5a".repeat(32);
process.env.HAFT_LEDGER_KEY = key;
const folder = await mkdtemp(join(tmpdir(), "haft-bench-studio-"));
const file = values.file ?? join(folder, "haft.db");
if (values.file === undefined && values.ledger === undefined) {
  const began = performance.now();
  await fillSqlite({ file, calls: Number(values.calls), days: Number(values.days), key, now: Date.now() });
  process.stderr.write(`filled in ${round((performance.now() - began) / 1_000)} s\n`);
}

const haft = await Haft.open({
  ledger: values.ledger ?? `sqlite:${file}`,
  principal: { agent: "bench", allow: ["*"] },
});
const page = studio(haft, { principal: () => ({ agent: "bench", roles: ["studio:read"] }) });
const get = async (
  path: string,
): Promise<{
  readonly next?: string;
  readonly items?: readonly { readonly entryId: string; readonly at: number }[];
}> => {
  const response = await page.fetch(
    new Request(`http://127.0.0.1/api/v1${path}`, { headers: { host: "127.0.0.1" } }),
  );
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`);
  return (await response.json()) as never;
};

const now = Date.now();
const day = 86_400_000;
const days = Number(values.days);
const middle = await get(`/calls?limit=1&until=${now - (days / 2) * day}`);
const cursor = middle.next ?? "";
const asked: readonly (readonly [name: string, path: string])[] = [
  ["calls, first page of 50", "/calls"],
  ["calls, a page in the middle", `/calls?cursor=${cursor}`],
  ["calls, in the middle, newer", `/calls?cursor=${cursor}&direction=newer`],
  ["calls of a tool", "/calls?tool=tool-7"],
  ["calls of a tool, in the middle", `/calls?tool=tool-7&cursor=${cursor}`],
  ["calls of an agent", "/calls?agent=agent-7"],
  ["calls of an unknown agent", "/calls?agent=nobody"],
  ["calls that failed", "/calls?ending=failed"],
  ["calls of a session", "/calls?session=session-100"],
  ["calls of a run", "/calls?run=made-by-bench-100"],
  ["calls until the middle", `/calls?until=${now - (days / 2) * day}`],
  ["one call", `/calls/${middle.items?.[0]?.entryId}`],
  ["overview of a day", "/overview"],
  ["overview of a week, by agent", `/overview?by=agent&since=${now - 7 * day}`],
  ["overview of everything", `/overview?since=${now - days * day}`],
];

const rows: (readonly string[])[] = [];
for (const [name, path] of asked) {
  const times: number[] = [];
  for (let i = 0; i < 6; i += 1) {
    // Longer than the cache of one second.
    const fresh = path.startsWith("/overview")
      ? `${path}${path.includes("?") ? "&" : "?"}until=${now + i}`
      : path;
    const began = performance.now();
    await get(fresh);
    times.push(performance.now() - began);
  }
  const [first = 0, ...others] = times;
  rows.push([name, round(first), round(others.toSorted((a, b) => a - b)[2] ?? 0)]);
}
process.stdout.write(`${table([["asked", "first ms", "median ms"], ...rows])}\n`);
await page.close();
await haft.close();
await rm(folder, { recursive: true, force: true });
