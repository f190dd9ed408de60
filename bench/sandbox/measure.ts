import { readdirSync, readFileSync } from "node:fs";
import { setTimeout as sleep } from "node:timers/promises";
import { spread } from "../numbers.ts";
import { type ContenderId, contenders, type Runner } from "./contender.ts";

/** Measures one contender in a separate process: `measure.ts <contender> <runs>`. */
const [id = "", count = "100"] = process.argv.slice(2);
const runs = Number(count);
const contender = await contenders[id as ContenderId]();

export interface SandboxFigures {
  readonly name: string;
  readonly coldMs: number;
  readonly warmMs: number;
  readonly callUs: number;
  readonly directUs: number;
  readonly manyMs: number;
  readonly rssMb: number;
}

const answer = async (input: string): Promise<string> => input;
const same = (got: unknown, wanted: unknown): void => {
  if (JSON.stringify(got) !== JSON.stringify(wanted)) throw new Error(`${id} said ${JSON.stringify(got)}`);
};
const timed = async (work: () => Promise<unknown>): Promise<number> => {
  const begin = performance.now();
  await work();
  return performance.now() - begin;
};

/** Memory of this process and its children in bytes; without Linux, of this process alone. */
const residentBytes = (): number => {
  try {
    const children = readdirSync("/proc/self/task").flatMap((task) =>
      readFileSync(`/proc/self/task/${task}/children`, "utf8").split(" ").filter(Boolean),
    );
    const kilobytes = children.map((child) => {
      const status = readFileSync(`/proc/${child}/status`, "utf8");
      return Number(/VmRSS:\s+(\d+)/.exec(status)?.[1] ?? 0);
    });
    return process.memoryUsage.rss() + kilobytes.reduce((sum, each) => sum + each, 0) * 1024;
  } catch {
    return process.memoryUsage.rss();
  }
};

const warm = async (runner: Runner): Promise<number> => {
  const times: number[] = [];
  for (let at = 0; at < runs; at++) {
    times.push(await timed(async () => same(await runner.run("return input + 1", at, answer), at + 1)));
  }
  return spread(times).median;
};

const calls = 500;
const perCall = async (runner: Runner): Promise<number> => {
  const source = "let sum = 0; for (let i = 0; i < input; i++) sum += (await tools.f({ i })).i; return sum";
  const times: number[] = [];
  for (let round = 0; round < 5; round++) {
    times.push(
      await timed(async () => same(await runner.run(source, calls, answer), (calls * (calls - 1)) / 2)),
    );
  }
  const empty = await timed(() => runner.run(source, 0, answer));
  return ((spread(times).median - empty) / calls) * 1000;
};

const direct = async (): Promise<number> => {
  const took = await timed(async () => {
    for (let i = 0; i < calls * 20; i++) JSON.parse(await answer(JSON.stringify({ i })));
  });
  return (took / (calls * 20)) * 1000;
};

/** A hundred programs, eight at a time; Haft limits itself. */
const many = async (runner: Runner): Promise<{ readonly manyMs: number; readonly rssMb: number }> => {
  const before = residentBytes();
  let most = before;
  const watch = setInterval(() => {
    most = Math.max(most, residentBytes());
  }, 5);
  const source =
    "const all = []; for (let i = 0; i < 1000; i++) all.push({ i, text: 'x'.repeat(100) }); await tools.f({}); return all.length";
  let next = 0;
  const lane = async (): Promise<void> => {
    while (next++ < 100) same(await runner.run(source, null, answer), 1000);
  };
  const lanes = id === "haft" ? 100 : 8;
  const manyMs = await timed(() => Promise.all(Array.from({ length: lanes }, lane)));
  clearInterval(watch);
  return { manyMs, rssMb: (Math.max(most, residentBytes()) - before) / 1e6 };
};

let runner: Runner | undefined;
const coldMs = await timed(async () => {
  runner = await contender.open();
  same(await runner.run("return input + 1", 1, answer), 2);
});
// Until here the process also holds the memory of Node itself; the rest belongs to the programs.
const { manyMs, rssMb } = await many(runner!);
await sleep(50);
const figures: SandboxFigures = {
  name: contender.name,
  coldMs,
  warmMs: await warm(runner!),
  callUs: await perCall(runner!),
  directUs: await direct(),
  manyMs,
  rssMb,
};
await runner!.close();
process.stdout.write(`${JSON.stringify(figures)}\n`, () => process.exit(0));
