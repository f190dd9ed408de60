import { expect, it } from "vitest";
import { waitFor } from "../../kit/wait-for.ts";
import { clerkAgent, fleetScene, workTool } from "../kit/fleet-scene.ts";

const isSoak = process.env.HAFT_SOAK !== undefined;
const queued = isSoak ? 10_000 : 400;
const concurrency = 8;
/** Long compared to the queue latency, so that the soak report measures turns. */
const runMs = isSoak ? 300 : 0;

const scene = fleetScene();

it(`with ${queued} queued runs of one tenant, at most as many as run concurrently start before the single run of another`, {
  timeout: isSoak ? 600_000 : 180_000,
}, async () => {
  const url = await scene.fresh();
  const begun: string[] = [];
  const mayEnd = Promise.withResolvers<void>();
  const work = workTool(async (name) => {
    begun.push(name);
    await mayEnd.promise;
    // allow-sleep: the report of a soak is about runs that take a while
    if (runMs > 0) await new Promise((resolve) => setTimeout(resolve, runMs));
    return name;
  });
  const many = await scene.open({ url, tools: [work], tenant: "many" });
  const one = await scene.open({ url, tools: [work], tenant: "one" });
  await Promise.all(Array.from({ length: queued }, (_, n) => many.submit(clerkAgent(), `many ${n}`)));
  const back = await scene.open({ url, tools: [work] });
  const worker = await scene.work(back, { agents: [clerkAgent()], concurrency, sweepMs: 5_000 });
  await waitFor(() => expect(begun.length).toBe(concurrency));
  // allow-sleep: for the report of a soak
  const since = performance.now();
  const { runId } = await one.submit(clerkAgent(), "one");
  mayEnd.resolve();
  const response = await one.wait(runId);
  // allow-sleep: for the report of a soak
  const tookMs = Math.round(performance.now() - since);
  expect(response.status).toBe("done");
  const before = begun.indexOf("one") - concurrency;
  expect(before).toBeGreaterThanOrEqual(0);
  expect(before).toBeLessThanOrEqual(concurrency);
  if (!isSoak) return;
  const { ready } = (await worker.look()).queue;
  const [entry] = await one.log({ runId, tool: "work" });
  console.log(
    `with ${ready} runs of another tenant still queued, ${before} of them began first, and a run of ${Math.round(entry!.durationMs!)} ms took ${tookMs} ms`,
  );
});
