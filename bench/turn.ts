import { execFile } from "node:child_process";
import { availableParallelism, cpus, loadavg } from "node:os";
import { fileURLToPath } from "node:url";
import { parseArgs, promisify } from "node:util";
import { type ContenderId, contenderIds, isContenderId } from "./contenders.ts";
import { round, type Spread, spread, table, withRange } from "./numbers.ts";

const run = promisify(execFile);
const measure = fileURLToPath(new URL("./measure.ts", import.meta.url));

const { values } = parseArgs({
  options: {
    only: { type: "string" },
    calls: { type: "string", default: "1,8" },
    rounds: { type: "string", default: "5" },
    milliseconds: { type: "string", default: "500" },
    /** Floor and Haft alone, quickly: needs nothing installed in bench/. */
    smoke: { type: "boolean", default: false },
    /** Exit code 1 when Haft costs more than this many floors. */
    "max-ratio": { type: "string" },
    json: { type: "boolean", default: false },
  },
});

const chosen = values.smoke ? "floor,haft" : (values.only ?? contenderIds.join(","));
const ids = chosen.split(",").map((id): ContenderId => {
  if (!isContenderId(id))
    throw new Error(`unknown contender ${id}; the contenders are ${contenderIds.join(", ")}`);
  return id;
});
const callCounts = values.calls.split(",").map(Number);
const rounds = values.smoke ? 3 : Number(values.rounds);
const milliseconds = values.smoke ? "200" : values.milliseconds;

interface Sample {
  readonly name: string;
  readonly version: string;
  readonly microseconds: number;
}

const failed = new Map<ContenderId, string>();
const samples = new Map<string, Sample[]>();

const take = async (id: ContenderId, calls: number): Promise<void> => {
  if (failed.has(id)) return;
  try {
    const { stdout } = await run(process.execPath, [measure, id, String(calls), milliseconds], {
      timeout: 60_000,
    });
    const key = `${id} ${calls}`;
    samples.set(key, [...(samples.get(key) ?? []), JSON.parse(stdout.trimEnd().split("\n").at(-1)!)]);
  } catch (error) {
    const text = String((error as { stderr?: string }).stderr || error);
    failed.set(id, text.match(/^\w*Error.*$/m)?.[0] ?? text.slice(0, 200));
  }
};

// Interleaved, so that a busy minute affects all alike.
for (let done = 0; done < rounds; done += 1) {
  if (process.stderr.isTTY) process.stderr.write(`round ${done + 1} of ${rounds}\n`);
  for (const calls of callCounts) for (const id of ids) await take(id, calls);
}

interface Result {
  readonly contender: ContenderId;
  readonly name: string;
  readonly version: string;
  readonly calls: number;
  readonly microseconds: Spread;
  /** Median over median, so that a reader can check it against the table. */
  readonly timesFloor: number | undefined;
}

const spreadOf = (taken: readonly Sample[]): Spread => spread(taken.map((sample) => sample.microseconds));

const result = (id: ContenderId, calls: number): Result | undefined => {
  const own = samples.get(`${id} ${calls}`);
  if (own === undefined) return undefined;
  const floor = samples.get(`floor ${calls}`);
  const microseconds = spreadOf(own);
  return {
    contender: id,
    name: own[0]!.name,
    version: own[0]!.version,
    calls,
    microseconds,
    timesFloor: floor === undefined ? undefined : microseconds.median / spreadOf(floor).median,
  };
};

const results = ids.flatMap((id) => callCounts.flatMap((calls) => result(id, calls) ?? []));
const machine = {
  node: process.version,
  cpu: cpus()[0]?.model,
  cores: availableParallelism(),
  load: loadavg()[0],
};

if (values.json) {
  console.log(
    JSON.stringify({ machine, rounds, milliseconds, results, failed: Object.fromEntries(failed) }, null, 2),
  );
} else {
  const header = [
    "one turn, µs",
    ...callCounts.flatMap((calls) => [`${calls} ${calls === 1 ? "call" : "calls"}`, "× floor"]),
  ];
  const rows = ids.flatMap((id) => {
    const own = callCounts.map((calls) => results.find((one) => one.contender === id && one.calls === calls));
    const first = own.find((one) => one !== undefined);
    if (first === undefined) return [];
    const cells = own.flatMap((one) =>
      one === undefined
        ? ["–", "–"]
        : [withRange(one.microseconds), one.timesFloor === undefined ? "–" : round(one.timesFloor)],
    );
    return [[`${first.name} ${first.version}`, ...cells]];
  });
  console.log(table([header, ...rows]));
  console.log(
    `\nmedian (min–max) of ${rounds} rounds, a fresh process each; node ${machine.node}, ${machine.cores} cores, load ${machine.load?.toFixed(1)}`,
  );
  for (const [id, why] of failed) console.log(`${id} did not run: ${why}`);
}

const bound = Number(values["max-ratio"] ?? Number.POSITIVE_INFINITY);
const tooSlow = results.filter((one) => one.contender === "haft" && (one.timesFloor ?? 0) > bound);
for (const one of tooSlow) {
  console.error(
    `Haft costs ${round(one.timesFloor!)} floors for ${one.calls} calls; at most ${bound} are allowed`,
  );
}
if (failed.size > 0 || tooSlow.length > 0) process.exitCode = 1;
