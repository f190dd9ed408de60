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
      await sleep(milliseconds);
      return { waited: milliseconds };
    },
  });

const haft = await Haft.open({
  tools: [
    waiting("wait_50", 50),
    waiting("wait_10", 10),
    waiting("crowded", 10).layer(limit({ concurrency: 10, queue: 100 })),
  ],
  principal: { agent: "bench", allow: ["*"] },
  policy: { rules: [{ effect: "allow", tools: ["*"] }] },
});

/** Eight calls that each wait 50 ms: 50 is perfect, 400 is one after the other. */
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
  // The monitor compares its ticks with one another, so it needs some before the load and after it.
  await sleep(5);
  const begin = performance.now();
  await Promise.all(Array.from({ length: 1000 }, () => haft.call("wait_10", {})));
  const milliseconds = performance.now() - begin;
  await sleep(5);
  lag.disable();
  const beyondTick = (nanoseconds: number): number => Math.max(0, nanoseconds / 1e6 - 1);
  return { milliseconds, lagP99: beyondTick(lag.percentile(99)), lagMax: beyondTick(lag.max) };
};

/** 10 may run and 100 may wait: the other 890 should hear at once that there is no room. */
const overflow = async () => {
  const begin = performance.now();
  const refusals: number[] = [];
  let answered = 0;
  const one = async (): Promise<void> => {
    try {
      await haft.call("crowded", {});
      answered += 1;
    } catch (error) {
      if (!ToolError.is(error) || error.code !== "overloaded") throw error;
      refusals.push(performance.now() - begin);
    }
  };
  await Promise.all(Array.from({ length: 1000 }, one));
  if (answered !== 110) throw new Error(`${answered} calls were answered where 110 had room`);
  return { ...spread(refusals), milliseconds: performance.now() - begin };
};

const rounds = 5;
const eight: number[] = [];
const thousand: Awaited<ReturnType<typeof thousandAtOnce>>[] = [];
const refused: Awaited<ReturnType<typeof overflow>>[] = [];
await turnOfEight();
await thousandAtOnce();
for (let done = 0; done < rounds; done += 1) {
  eight.push(await turnOfEight());
  thousand.push(await thousandAtOnce());
  refused.push(await overflow());
}
await haft.close();

const results = {
  turnOfEightMs: spread(eight),
  thousandAtOnceMs: spread(thousand.map((one) => one.milliseconds)),
  eventLoopLagP99Ms: spread(thousand.map((one) => one.lagP99)),
  eventLoopLagMaxMs: spread(thousand.map((one) => one.lagMax)),
  refusalMedianMs: spread(refused.map((one) => one.median)),
  refusalSlowestMs: spread(refused.map((one) => one.max)),
  overflowAllMs: spread(refused.map((one) => one.milliseconds)),
};

if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const titles: Record<keyof typeof results, string> = {
    turnOfEightMs: "8 calls of 50 ms in one turn",
    thousandAtOnceMs: "1,000 calls of a 10 ms tool at once",
    eventLoopLagP99Ms: "  event loop lag meanwhile, p99",
    eventLoopLagMaxMs: "  event loop lag meanwhile, worst",
    refusalMedianMs: "1,000 calls where 110 have room: median refusal",
    refusalSlowestMs: "  slowest refusal",
    overflowAllMs: "  until the last of the 110 is answered",
  };
  const rows = Object.entries(titles).map(([key, title]) => {
    const { median, min, max } = results[key as keyof typeof results];
    return [title, round(median), round(min), round(max)];
  });
  console.log(table([[`ms over ${rounds} rounds`, "median", "min", "max"], ...rows]));
}
