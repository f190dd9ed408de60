import { execFile } from "node:child_process";
import { availableParallelism, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { round, spread, table, withRange } from "./numbers.ts";

/** Compares a turn of a framework with its own tools to the same turn with session tools. */
const run = promisify(execFile);
const measure = fileURLToPath(new URL("./bridges/measure.ts", import.meta.url));

const { values } = parseArgs({
  options: {
    calls: { type: "string", default: "1,8" },
    rounds: { type: "string", default: "5" },
    milliseconds: { type: "string", default: "1500" },
    /** A short run to check that the benchmark works. */
    smoke: { type: "boolean", default: false },
    /** Exit code 1 when a turn with session tools costs more than this many turns of the framework alone. */
    "max-ratio": { type: "string" },
    json: { type: "boolean", default: false },
  },
});
const callCounts = values.calls.split(",").map(Number);
const rounds = values.smoke ? 1 : Number(values.rounds);
const milliseconds = values.smoke ? "100" : values.milliseconds;
const cases = [
  { framework: "ai-sdk", name: "AI SDK generateText", whose: ["own", "haft"] },
  { framework: "langchain", name: "LangChain createAgent", whose: ["own", "haft", "middleware"] },
] as const;

interface Sample {
  readonly version: string;
  readonly microseconds: number;
}

const samples = new Map<string, Sample[]>();
const keyOf = (framework: string, whose: string, calls: number): string => `${framework} ${whose} ${calls}`;

// Interleaved, so that a busy minute affects all alike.
for (let done = 0; done < rounds; done += 1) {
  if (process.stderr.isTTY) process.stderr.write(`round ${done + 1} of ${rounds}\n`);
  for (const calls of callCounts) {
    for (const { framework, whose } of cases) {
      for (const each of whose) {
        const words = [measure, framework, each, String(calls), milliseconds];
        const { stdout } = await run(process.execPath, words, { timeout: 120_000 });
        const key = keyOf(framework, each, calls);
        samples.set(key, [...(samples.get(key) ?? []), JSON.parse(stdout.trimEnd().split("\n").at(-1)!)]);
      }
    }
  }
}

const results = cases.flatMap(({ framework, name, whose }) =>
  callCounts.flatMap((calls) => {
    const taken = (each: string) => samples.get(keyOf(framework, each, calls))!;
    const timesOf = (each: string) => taken(each).map(({ microseconds }) => microseconds);
    return whose.map((each) => {
      // Per round, because a slow moment affects neighboring processes alike.
      const ratios = timesOf(each).map((time, at) => time / timesOf("own")[at]!);
      return {
        framework,
        name: `${name} ${taken(each)[0]!.version}`,
        tools: each,
        calls,
        microseconds: spread(timesOf(each)),
        timesOwn: spread(ratios),
      };
    });
  }),
);
const machine = { node: process.version, cores: availableParallelism(), load: loadavg()[0] };

if (values.json) console.log(JSON.stringify({ machine, rounds, milliseconds, results }, null, 2));
else {
  const label = { own: "its own tools", haft: "a session's tools", middleware: "haftMiddleware" } as const;
  const rows = results.map(({ name, tools, calls, microseconds, timesOwn }) => [
    `${name}, ${label[tools]}`,
    String(calls),
    withRange(microseconds),
    tools === "own" ? "" : `${round(timesOwn.median)} (${round(timesOwn.min)}–${round(timesOwn.max)})`,
  ]);
  console.log(table([["one turn", "calls", "µs", "× own"], ...rows]));
  console.log(
    `\nmedian (min–max) of ${rounds} rounds, a fresh process each; node ${machine.node}, ${machine.cores} cores, load ${machine.load?.toFixed(1)}`,
  );
}

const bound = Number(values["max-ratio"] ?? Number.POSITIVE_INFINITY);
const tooSlow = results.filter(({ timesOwn }) => timesOwn.median > bound);
for (const { name, tools, calls, timesOwn } of tooSlow) {
  console.error(
    `${name}, ${tools}, ${calls} calls: ${round(timesOwn.median)} × its own tools; at most ${bound}`,
  );
}
if (tooSlow.length > 0) process.exitCode = 1;
