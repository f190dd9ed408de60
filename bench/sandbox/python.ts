import { setTimeout as sleep } from "node:timers/promises";
import { Haft, tool } from "../../dist/index.js";
import { code, type EngineName } from "../../dist/sandbox.js";

/**
 * Milliseconds of the first Python program of a process, of the one right after it, and of one with a
 * preloaded interpreter, as JSON.
 */
const engines: readonly EngineName[] = ["pyodide", "bubblewrap"];
const tools = engines.map((engine) =>
  tool({
    name: engine,
    description: "Adds one",
    input: { type: "object", properties: { n: { type: "number" } }, required: ["n"] } as const,
    timeout: "2 minutes",
    implementation: code({
      language: "python",
      engine,
      source: 'input["n"] + 1',
      limits: { wallMs: 100_000 },
    }),
  }),
);
const haft = await Haft.open({ tools, principal: { agent: "bench", allow: ["*"] } });

const timed = async (engine: string): Promise<number> => {
  const begin = performance.now();
  if ((await haft.call(engine, { n: 1 })) !== 2) throw new Error(`${engine} cannot count`);
  return performance.now() - begin;
};

for (const engine of engines) {
  try {
    const [first, next] = [await timed(engine), await timed(engine)];
    await sleep(10_000);
    console.log(JSON.stringify({ engine, first, next, ready: await timed(engine) }));
  } catch (error) {
    console.log(JSON.stringify({ engine, missing: (error as Error).message }));
  }
}
await haft.close();
