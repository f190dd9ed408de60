import { monitorEventLoopDelay } from "node:perf_hooks";
import { setTimeout as sleep } from "node:timers/promises";
import { parseArgs } from "node:util";
import { Haft, ToolError, tool } from "../dist/index.js";
import { limit } from "../dist/layers.js";
import { round, spread, table } from "./numbers.ts";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });

const waiting = (name: string, milliseconds: number) =>
  tool({
    name,
    description: `Waits for ${milliseconds} ms`,
    input: { type: "object", properties: {}, additionalProperties: false },
    annotations: { readOnly: true },
    run: async () => {
      if (milliseconds > 0) await sleep(milliseconds);
      return { waited: milliseconds };
    },
  });

const haft = await Haft.open({
  tools: [
    waiting("wait_50", 50),
    waiting("wait_10", 10),
    waiting("wait_0", 0),
    waiting("crowded", 100).layer(limit({ concurrency: 10, queue: 100 })),
  ],
  principal: { agent: "bench", allow: ["*"] },
  policy: { rules: [{ effect: "allow", tools: ["*"] }] },
});

/** Eight calls that each wait 50 ms: 50 is fully parallel, 400 is sequential. */
const turnOfEight = async (): Promise<number> => {
  const calls = Array.from({ length: 8 }, (_, index) => ({
    id: `call_${index}`,
    tool: "wait_50",
    input: "{}",
  }));
  const begin = performance.now();
  const replies = await haft.turn(calls);
  const took = performance.now() - begin;
  if (replies.length !== calls.length) throw new Error(`${replies.length} replies for ${calls.length} calls`);
  return took;
};

const thousandAtOnce = async () => {
  const lag = monitorEventLoopDelay({ resolution: 1 });
  lag.enable();
  // The monitor compares ticks, so it needs some before and after the load.
  await sleep(5);
  const begin = performance.now();
  await Promise.all(Array.from({ length: 1000 }, () => haft.call("wait_10", {})));
  const milliseconds = performance.now() - begin;
  await sleep(5);
  lag.disable();
  const beyondTick = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - 1);
  return { milliseconds, lagP99: beyondTick(lag.percentile(99)), lagMax: beyondTick(lag.max) };
};

/** With 10 calls running and 100 queued, further calls should be rejected at once. */
const overflow = async () => {
  const inside = Array.from({ length: 110 }, () => haft.call("crowded", {}));
  const refusals: number[] = [];
  for (let count = 0; count < 100; count += 1) {
    const begin = performance.now();
    const error = await haft.call("crowded", {}).catch((thrown: unknown) => thrown);
    if (!ToolError.is(error) || error.code !== "overloaded")
      throw new Error("the call was not rejected as overloaded");
    refusals.push(performance.now() - begin);
  }
  const begin = performance.now();
  await Promise.all(inside);
  return { ...spread(refusals), milliseconds: performance.now() - begin };
};

/** Cost of one call without contention in ms; a thousand at once may cost half as much again each. */
const oneAfterAnother = async (): Promise<number> => {
  const begin = performance.now();
  for (let count = 0; count < 1000; count += 1) await haft.call("wait_0", {});
  return (performance.now() - begin) / 1000;
};

const rounds = 9;
const eight: number[] = [];
const thousand: Awaited<ReturnType<typeof thousandAtOnce>>[] = [];
const refused: Awaited<ReturnType<typeof overflow>>[] = [];
for (let warm = 0; warm < 10; warm += 1) {
  await oneAfterAnother();
  await thousandAtOnce();
}
await turnOfEight();
const single: number[] = [];
for (let done = 0; done < rounds; done += 1) {
  single.push(await oneAfterAnother());
  eight.push(await turnOfEight());
  thousand.push(await thousandAtOnce());
  refused.push(await overflow());
}
await haft.close();

const singleCall = spread(single);
const results = {
  singleCallMs: singleCall,
  turnOfEightMs: spread(eight),
  thousandAtOnceMs: spread(thousand.map((one) => one.milliseconds)),
  thousandBoundMs: spread(single.map((one) => 10 + 1.5 * 1000 * one)),
  eventLoopLagP99Ms: spread(thousand.map((one) => one.lagP99)),
  eventLoopLagMaxMs: spread(thousand.map((one) => one.lagMax)),
  refusalMedianMs: spread(refused.map((one) => one.median)),
  refusalSlowestMs: spread(refused.map((one) => one.max)),
  overflowAllMs: spread(refused.map((one) => one.milliseconds)),
};

if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const titles: Record<keyof typeof results, string> = {
    singleCallMs: "one call after another, each",
    turnOfEightMs: "8 calls of 50 ms in one turn",
    thousandAtOnceMs: "1,000 calls of a 10 ms tool at once",
    thousandBoundMs: "  may take: 10 + 1.5 × 1,000 × one call",
    eventLoopLagP99Ms: "  event loop lag meanwhile, p99",
    eventLoopLagMaxMs: "  event loop lag meanwhile, worst",
    refusalMedianMs: "a call where 10 run and 100 wait: median refusal",
    refusalSlowestMs: "  slowest refusal",
    overflowAllMs: "  until the last of the 110 is answered",
  };
  const rows = Object.entries(titles).map(([key, title]) => {
    const { median, min, max } = results[key as keyof typeof results];
    return [title, round(median), round(min), round(max)];
  });
  console.log(table([[`ms over ${rounds} rounds`, "median", "min", "max"], ...rows]));
}
