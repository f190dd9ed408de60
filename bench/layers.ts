import { parseArgs } from "node:util";
import { Haft, tool } from "../dist/index.js";
import { breaker, cache, limit, retry, tap, timeout, trace } from "../dist/layers.js";
import { round, spread, table } from "./numbers.ts";

const { values } = parseArgs({ options: { json: { type: "boolean", default: false } } });

const stacks = {
  "no layers": [],
  timeout: [timeout("5 seconds")],
  retry: [retry({ attempts: 3 })],
  limit: [limit({ concurrency: 64 })],
  breaker: [breaker()],
  "cache, hit": [cache()],
  tap: [tap({})],
  "trace, no tracer": [trace()],
  "timeout, retry, limit": [timeout("5 seconds"), retry({ attempts: 3 }), limit({ concurrency: 64 })],
};

const opened = await Promise.all(
  Object.entries(stacks).map(async ([name, layers]) => {
    const noop = tool({
      name: "noop",
      description: "Does nothing, later",
      input: { type: "object", properties: {}, additionalProperties: false },
      annotations: { readOnly: true },
      run: async () => null,
    });
    const haft = await Haft.open({
      tools: [noop.layer(...layers)],
      principal: { agent: "bench", allow: ["*"] },
    });
    return { name, haft, times: [] as number[] };
  }),
);

const calls = 2_000;
const measure = async (haft: Haft): Promise<number> => {
  const begin = performance.now();
  for (let count = 0; count < calls; count += 1) await haft.turn([{ id: "a", tool: "noop", input: "{}" }]);
  return ((performance.now() - begin) / calls) * 1000;
};

// Interleaved with warm-up rounds, because all stacks run the same compiled code.
const rounds = 15;
for (let done = -5; done < rounds; done += 1) {
  for (const { haft, times } of opened) {
    const took = await measure(haft as unknown as Haft);
    if (done >= 0) times.push(took);
  }
}
for (const { haft } of opened) await haft.close();

const base = spread(opened[0]!.times).median;
const results = opened.map(({ name, times }) => ({ name, ...spread(times) }));
if (values.json) console.log(JSON.stringify(results, null, 2));
else {
  const rows = results.map(({ name, median, min, max }) => [
    name,
    round(median),
    round(min),
    round(max),
    round(median - base),
  ]);
  console.log(table([["one call, µs", "median", "min", "max", "added"], ...rows]));
}
