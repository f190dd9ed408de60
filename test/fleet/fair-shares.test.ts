import { expect, it } from "vitest";
import { clerk, fleetScene, workTool } from "../kit/fleet-scene.ts";

const isSoak = process.env.HAFT_SOAK !== undefined;
const queued = isSoak ? 10_000 : 400;
const runMs = 300;

const scene = fleetScene();

it(`a tenant with ${queued} queued runs delays another's single run by less than twice a run's length`, {
  timeout: isSoak ? 600_000 : 120_000,
}, async () => {
  const url = await scene.fresh();
  const work = workTool(async (name) => {
    await new Promise((resolve) => setTimeout(resolve, runMs));
    return name;
  });
  const many = await scene.open({ url, tools: [work], tenant: "many" });
  const one = await scene.open({ url, tools: [work], tenant: "one" });
  await Promise.all(Array.from({ length: queued }, (_, n) => many.submit(clerk(), `many ${n}`)));
  const back = await scene.open({ url, tools: [work] });
  const worker = await scene.work(back, { agents: [clerk()], concurrency: 8, sweepMs: 5_000 });
  await expect.poll(() => worker.health().ended, { timeout: 60_000 }).toBeGreaterThan(16);
  const since = performance.now();
  const { runId } = await one.submit(clerk(), "one");
  const response = await one.wait(runId);
  const tookMs = performance.now() - since;
  const [entry] = await one.log({ runId, tool: "work" });
  const ready = (await worker.look()).queue.ready;
  console.log(
    `with ${ready} runs of another tenant still queued, a run of ${Math.round(entry!.durationMs!)} ms took ${Math.round(tookMs)} ms`,
  );
  expect(response.status).toBe("done");
  expect(ready).toBeGreaterThan(queued / 2);
  // The run itself, and a delay of less than twice its length.
  expect(tookMs).toBeLessThan(3 * entry!.durationMs!);
});
