import { execFile } from "node:child_process";
import { existsSync } from "node:fs";
import { loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { round, spread, table } from "./numbers.ts";
import { cases, type TargetCase } from "./targets/cases.ts";
import type { Measured } from "./targets/measure.ts";

/**
 * Checks the targets of single operations: look-up, validation, authorization, a built-in, an MCP connection
 * and call, and the export of all tools. Cold is the first time in a fresh process, warm is every later time
 * in one process. Medians are judged; the 99th percentile, which depends on the machine, is only shown. The
 * time in which a cold run waited for a processor does not count. Exit code 1 when a target is missed three
 * times in a row.
 */
const { values } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    /** Fresh processes for each cold figure. */
    rounds: { type: "string", default: "5" },
    /** Only cases whose name contains this text. */
    only: { type: "string", default: "" },
  },
});

if (!existsSync(new URL("../dist/index.js", import.meta.url))) {
  console.error("The package is not built. Run `npm run build` first.");
  process.exit(1);
}

const attempts = 3;
const run = promisify(execFile);
const measureFile = fileURLToPath(new URL("./targets/measure.ts", import.meta.url));

interface Result {
  readonly name: string;
  readonly targetMs: number;
  readonly coldMs: readonly number[];
  readonly coldMedianMs: number;
  readonly warmP50Ms?: number;
  readonly warmP99Ms?: number;
  readonly attempts: number;
  readonly isMet: boolean;
}

const measure = async (name: string, repeats: number): Promise<Measured> => {
  const words = [measureFile, name, String(repeats)];
  const { stdout } = await run(process.execPath, words, { timeout: 300_000, maxBuffer: 64_000_000 });
  // The runtime may log to the same stream before.
  return JSON.parse(stdout.trimEnd().split("\n").at(-1)!) as Measured;
};

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

const attempt = async ({ name, targetMs, repeats }: TargetCase, count: number): Promise<Result> => {
  const coldMs: number[] = [];
  for (let turn = 0; turn < Number(values.rounds); turn++) coldMs.push((await measure(name, 0)).coldMs);
  const coldMedianMs = spread(coldMs).median;
  const cold = { name, targetMs, coldMs, coldMedianMs, attempts: count };
  if (repeats === 0) return { ...cold, isMet: coldMedianMs < targetMs };
  const warm = (await measure(name, repeats)).times.slice(1).toSorted((left, right) => left - right);
  const [warmP50Ms, warmP99Ms] = [percentile(warm, 0.5), percentile(warm, 0.99)];
  return { ...cold, warmP50Ms, warmP99Ms, isMet: Math.max(coldMedianMs, warmP50Ms) < targetMs };
};

const results: Result[] = [];
for (const each of cases.filter(({ name }) => name.includes(values.only))) {
  let result = await attempt(each, 1);
  for (let count = 2; count <= attempts && !result.isMet; count++) {
    const load = loadavg()[0]!.toFixed(1);
    const { coldMedianMs, warmP50Ms = 0 } = result;
    console.error(
      `${each.name}: missed with ${round(coldMedianMs)} ms cold, ${round(warmP50Ms)} ms warm p50 (load ${load}); measured again, attempt ${count} of ${attempts}`,
    );
    result = await attempt(each, count);
  }
  results.push(result);
}

if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const shown = (value: number | undefined): string => (value === undefined ? "" : round(value));
  const rows = results.map((each) => [
    each.name,
    `< ${each.targetMs}`,
    shown(each.coldMedianMs),
    each.coldMs.map(round).join(" "),
    shown(each.warmP50Ms),
    shown(each.warmP99Ms),
    `${each.isMet ? "met" : "MISSED"}${each.attempts > 1 ? ` (attempt ${each.attempts})` : ""}`,
  ]);
  console.log(`wall time in ms; cold: the first time in a fresh process, median of ${values.rounds}`);
  console.log(table([["", "target", "cold", "all of them", "warm p50", "warm p99", ""], ...rows]));
}
if (results.length === 0 || results.some(({ isMet }) => !isMet)) process.exitCode = 1;
