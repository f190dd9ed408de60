import { readData } from "./data.ts";
import { type Times, timesOf } from "./measure-contender.ts";
import { repeated } from "./repeated.ts";
import { isScaled, scaled } from "./scaled.ts";
import { seeded } from "./seeded.ts";

/**
 * The cost of many tools for one contender, in a separate process: `--expose-gc scale-measure.ts <contender>
 * <tools>`.
 */
export interface ScaleResult {
  readonly contender: string;
  readonly tools: number;
  readonly indexMilliseconds: number;
  /** Memory of the index beyond the tools themselves. */
  readonly megabytes: number;
  readonly firstMilliseconds: number;
  readonly queries: number;
  readonly queryMicroseconds: Times;
  readonly addMicroseconds: Times;
  /** The first query after a tool was added. */
  readonly afterAddMicroseconds: Times;
  readonly removeMicroseconds: Times;
}

const [contender = "", size = ""] = process.argv.slice(2);
const collect = globalThis.gc;
if (!isScaled(contender) || collect === undefined || !(Number(size) > 0))
  throw new Error("usage: node --expose-gc scale-measure.ts <contender> <tools>");

const limit = 10;
const mostQueries = 2000;
const budget = 20_000;
const changes = 100;

const data = readData();
const next = seeded(7);
const order = new Map(data.queries.map(({ query }) => [query, next()]));
const queries = [...order.keys()].sort((one, other) => order.get(one)! - order.get(other)!);
const tools = repeated(data.tools, Number(size));
const extra = repeated(data.tools, Number(size) + changes).slice(Number(size));
const asked = scaled[contender]!();
await asked.open(tools);

const settle = async (): Promise<number> => {
  for (let count = 0; count < 3; count++) {
    collect();
    await new Promise((resolve) => setImmediate(resolve));
  }
  return process.memoryUsage.rss() / 2 ** 20;
};
const timed = async (work: () => unknown): Promise<number> => {
  const begin = performance.now();
  const given = work();
  if (given instanceof Promise) await given;
  return performance.now() - begin;
};
const microseconds = async (times: number[], work: () => unknown): Promise<void> => {
  times.push(1000 * (await timed(work)));
};

const before = await settle();
const indexMilliseconds = await timed(() => asked.fill());
const firstMilliseconds = await timed(() => asked.search(queries[0]!, limit));
const megabytes = (await settle()) - before;

// Warm-up, limited in time for slow contenders.
const warmUntil = performance.now() + budget / 10;
for (const query of queries.slice(0, 200)) {
  if (performance.now() > warmUntil) break;
  await asked.search(query, limit);
}
const times: number[] = [];
const until = performance.now() + budget;
for (const query of queries.slice(0, mostQueries)) {
  if (performance.now() > until && times.length >= 20) break;
  await microseconds(times, () => asked.search(query, limit));
}

const adds: number[] = [];
const afterAdds: number[] = [];
const removes: number[] = [];
const changeUntil = performance.now() + budget;
for (const [at, one] of extra.entries()) {
  if (performance.now() > changeUntil && adds.length >= 10) break;
  await microseconds(adds, () => asked.add(one));
  await microseconds(afterAdds, () => asked.search(queries[at]!, limit));
  await microseconds(removes, () => asked.remove(one));
}

const result: ScaleResult = {
  contender,
  tools: Number(size),
  indexMilliseconds,
  megabytes,
  firstMilliseconds,
  queries: times.length,
  queryMicroseconds: timesOf(times),
  addMicroseconds: timesOf(adds),
  afterAddMicroseconds: timesOf(afterAdds),
  removeMicroseconds: timesOf(removes),
};
process.stdout.write(`${JSON.stringify(result)}\n`, () => process.exit(0));
