import { type ChildProcess, execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { appendFileSync, createWriteStream, existsSync, mkdirSync, readFileSync } from "node:fs";
import { availableParallelism } from "node:os";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import { parseArgs, stripVTControlCharacters } from "node:util";

const usage = `usage: npm run test:repeat [-- flags]

Repeats both test tiers: npm test 10 times on a quiet machine, 5 times next to two busy loops per core and
5 times pinned to one core; npm run test:system 4 times quiet and twice next to busy loops. Each run is appended to a file.
Started again, it continues with the runs that are missing for the same sources.

  --file PATH     results, one JSON object per line (default .vitest/test-repeat.jsonl)
  --only NAME     only the runs of one tier: test or system
  --json          prints the results as JSON
  --help          this text

Exits with 1 when a run failed. The output of each run is kept next to the file.`;

const root = fileURLToPath(new URL("..", import.meta.url));

interface Condition {
  readonly tier: "test" | "system";
  readonly load: "quiet" | "busy" | "one core";
}

interface RunResult extends Condition {
  readonly sources: string;
  readonly startedAt: string;
  readonly seconds: number;
  readonly ok: boolean;
  readonly tests: string;
  readonly log: string;
}

const repeat = (times: number, tier: Condition["tier"], load: Condition["load"]): readonly Condition[] =>
  Array.from({ length: times }, () => ({ tier, load }));

const plan: readonly Condition[] = [
  ...repeat(10, "test", "quiet"),
  ...repeat(5, "test", "busy"),
  ...repeat(5, "test", "one core"),
  ...repeat(4, "system", "quiet"),
  ...repeat(2, "system", "busy"),
];

const { values: flags } = parseArgs({
  options: {
    file: { type: "string", default: join(root, ".vitest", "test-repeat.jsonl") },
    only: { type: "string" },
    json: { type: "boolean", default: false },
    help: { type: "boolean", default: false },
  },
});
if (flags.help) {
  console.log(usage);
  process.exit(0);
}
if (flags.only !== undefined && flags.only !== "test" && flags.only !== "system") {
  console.error(`--only must be test or system, not "${flags.only}".\n\n${usage}`);
  process.exit(2);
}

/** Documents may change between runs; files loaded by tests may not. */
const sources = execFileSync(
  "git",
  ["rev-parse", ...["src", "studio", "test", "scripts", "package-lock.json"].map((path) => `HEAD:${path}`)],
  { cwd: root, encoding: "utf8" },
)
  .split("\n")
  .map((hash) => hash.slice(0, 7))
  .join("");

const readResults = (): readonly RunResult[] =>
  existsSync(flags.file)
    ? readFileSync(flags.file, "utf8")
        .split("\n")
        .filter((line) => line !== "")
        .map((line) => JSON.parse(line) as RunResult)
        .filter((result) => result.sources === sources)
    : [];

const started = new Set<ChildProcess>();
const stopAll = (): void => {
  for (const child of started) {
    try {
      process.kill(-child.pid!, "SIGKILL");
    } catch {
      // It has ended.
    }
  }
};
for (const signal of ["SIGINT", "SIGTERM"] as const) {
  process.once(signal, () => {
    stopAll();
    process.exit(130);
  });
}
process.once("exit", stopAll);

/** In its own process group, so that all its child processes can be ended with it. */
const start = (command: string, words: readonly string[], stdio: "ignore" | "pipe"): ChildProcess => {
  const child = spawn(command, words, { cwd: root, stdio: ["ignore", stdio, stdio], detached: true });
  started.add(child);
  child.once("exit", () => started.delete(child));
  return child;
};

const summaryOf = (log: string): string =>
  [...stripVTControlCharacters(readFileSync(log, "utf8")).matchAll(/^ *Tests +(.+)$/gm)]
    .map(([, text]) => text!.replaceAll(/\s+/g, " ").trim())
    .join("; ");

/** Ends when this process is gone. */
const busyLoop =
  "const parent = process.ppid; while (process.ppid === parent) for (let i = 0; i < 1e9; i += 1);";

const run = async ({ tier, load }: Condition, number: number): Promise<RunResult> => {
  const loops =
    load === "busy"
      ? Array.from({ length: 2 * availableParallelism() }, () =>
          start(process.execPath, ["-e", busyLoop], "ignore"),
        )
      : [];
  const command = tier === "test" ? ["npm", "test"] : ["npm", "run", "test:system"];
  const [program, ...words] = load === "one core" ? ["taskset", "-c", "0", ...command] : command;
  const startedAt = new Date();
  const log = join(dirname(flags.file), `test-repeat-${sources.slice(0, 7)}-${number}.log`);
  const output = createWriteStream(log);
  const child = start(program!, words, "pipe");
  child.stdout!.pipe(output, { end: false });
  child.stderr!.pipe(output, { end: false });
  const [code] = await once(child, "close");
  output.end();
  await once(output, "finish");
  for (const loop of loops) loop.kill("SIGKILL");
  const seconds = Math.round((Date.now() - startedAt.getTime()) / 1000);
  const tests = summaryOf(log);
  return { tier, load, sources, startedAt: startedAt.toISOString(), seconds, ok: code === 0, tests, log };
};

const describeRun = ({ tier, load, ok, seconds, tests, log }: RunResult): string =>
  `${tier.padEnd(6)}  ${load.padEnd(8)}  ${ok ? "passed" : "FAILED"}  ${String(seconds).padStart(4)} s  ${tests}${ok ? "" : `  ${log}`}`;

mkdirSync(dirname(flags.file), { recursive: true });
const wanted = plan.filter(({ tier }) => flags.only === undefined || tier === flags.only);
const finished = [...readResults()].filter(({ tier }) => flags.only === undefined || tier === flags.only);
const remaining = [...wanted];
for (const { tier, load } of finished) {
  const index = remaining.findIndex((each) => each.tier === tier && each.load === load);
  if (index >= 0) remaining.splice(index, 1);
}
if (!flags.json && finished.length > 0)
  console.log(`${finished.length} of ${wanted.length} runs are in ${flags.file}.`);
for (const condition of remaining) {
  const result = await run(condition, finished.length + 1);
  appendFileSync(flags.file, `${JSON.stringify(result)}\n`);
  finished.push(result);
  if (!flags.json)
    console.log(`${String(finished.length).padStart(2)}/${wanted.length}  ${describeRun(result)}`);
}
const failed = finished.filter(({ ok }) => !ok);
if (flags.json) console.log(JSON.stringify(finished, undefined, 2));
else {
  console.log("\ntier    load      result  time");
  for (const result of finished) console.log(describeRun(result));
  console.log(`\n${finished.length - failed.length} of ${finished.length} runs passed.`);
}
process.exit(failed.length === 0 ? 0 : 1);
