import { execFile } from "node:child_process";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { installSystemPackages, systemEnvironment } from "../scripts/system-packages.ts";
import { round, type Spread, spread, table, withRange } from "./numbers.ts";
import { ids } from "./sandbox/contender.ts";
import type { SandboxFigures } from "./sandbox/measure.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "5" },
    runs: { type: "string", default: "200" },
    only: { type: "string" },
    /** Haft alone, one short round. */
    smoke: { type: "boolean", default: false },
    /** Exit code 1 when Haft misses a target. */
    check: { type: "boolean", default: false },
    json: { type: "boolean", default: false },
  },
});

const measure = fileURLToPath(new URL("sandbox/measure.ts", import.meta.url));
const output = async (name: string): Promise<string> => {
  const file = fileURLToPath(new URL(`sandbox/${name}`, import.meta.url));
  const options = { timeout: 300_000, env: systemEnvironment() };
  return (await promisify(execFile)(process.execPath, [file], options)).stdout;
};
const rounds = values.smoke ? 1 : Number(values.rounds);
const runs = values.smoke ? "20" : values.runs;
const wanted = values.smoke ? ["haft"] : (values.only?.split(",") ?? ids);

type Figure = "coldMs" | "warmMs" | "overUs" | "manyMs" | "rssMb";
const figures: readonly { readonly key: Figure; readonly title: string; readonly bar?: number }[] = [
  { key: "coldMs", title: "first program, ms", bar: 150 },
  { key: "warmMs", title: "a program, ms", bar: 2 },
  { key: "overUs", title: "a call over direct, µs", bar: 250 },
  { key: "manyMs", title: "100 at once, ms" },
  { key: "rssMb", title: "their memory, MB", bar: 400 },
];

type Sample = Readonly<Record<Figure, number>>;
const samples = new Map<string, { name: string; all: Sample[]; missing?: string }>();
for (let done = 0; done < rounds; done++) {
  for (const id of wanted) {
    const seen = samples.get(id) ?? { name: id, all: [] };
    samples.set(id, seen);
    if (seen.missing !== undefined) continue;
    try {
      const { stdout } = await promisify(execFile)(process.execPath, [measure, id, runs], {
        timeout: 300_000,
      });
      const reported: SandboxFigures = JSON.parse(stdout);
      seen.name = reported.name;
      seen.all.push({ ...reported, overUs: reported.callUs - reported.directUs });
    } catch (error) {
      const said = String((error as { readonly stderr?: string }).stderr ?? error);
      seen.missing = /ERR_MODULE_NOT_FOUND/.test(said)
        ? "not installed: run npm install in bench/"
        : said.slice(0, 300);
    }
  }
}

const results = [...samples].map(([id, { name, all, missing }]) => ({
  id,
  name,
  ...(missing === undefined ? {} : { missing }),
  figures:
    all.length === 0
      ? undefined
      : Object.fromEntries(figures.map(({ key }) => [key, spread(all.map((each) => each[key]))])),
}));

if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const head = ["", ...figures.map(({ title }) => title)];
  const bars = ["bar", ...figures.map(({ bar }) => (bar === undefined ? "" : `≤ ${bar}`))];
  const rows = results.map((each) => [
    each.name,
    ...figures.map(({ key }) => (each.figures === undefined ? "–" : round(each.figures[key]!.median))),
  ]);
  console.log(table([head, ...rows, bars]));
  for (const { name, missing } of results) if (missing !== undefined) console.log(`${name}: ${missing}`);
}
if (!values.json && !values.smoke && wanted.includes("haft")) {
  // Installs Pyodide.
  installSystemPackages();
  const over: Spread = JSON.parse(await output("code-mode.ts"));
  console.log(
    `a program's tool call compared with haft.call, through the whole pipeline: ${withRange(over)} µs (bar ≤ 250)`,
  );
  for (const line of (await output("python.ts")).trim().split("\n")) {
    const { engine, missing, first, next, ready } = JSON.parse(line);
    const times = `first ${round(first)} ms, right after ${round(next)} ms, later ${round(ready)} ms`;
    console.log(`Python in ${engine}: ${missing ?? times}`);
  }
}

if (values.check) {
  const own = results.find(({ id }) => id === "haft")?.figures;
  for (const { key, title, bar } of figures) {
    const median = own?.[key]?.median ?? Number.POSITIVE_INFINITY;
    if (bar === undefined || median <= bar) continue;
    console.error(`${title}: ${round(median)} is over the bar of ${bar}`);
    process.exitCode = 1;
  }
}
