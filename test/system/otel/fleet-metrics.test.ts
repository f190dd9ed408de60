import { expect, it } from "vitest";
import { fleetMetrics } from "../../../src/otel/fleet-metrics.ts";
import { telemetry } from "../../kit/telemetry.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { clerk, fleetScene, workTool } from "../kit/fleet-scene.ts";

const scene = fleetScene();

it("a worker and the queue of its fleet are measured until somebody stops it", async () => {
  const { measured } = telemetry();
  const url = await scene.fresh();
  const work = workTool((name) => name);
  const front = await scene.open({ url, tools: [work] });
  const back = await scene.open({ url, tools: [work] });
  const worker = await scene.work(back, { agents: [clerk()] });
  const stop = fleetMetrics(worker);
  const { runId } = await front.submit(clerk(), "x");
  await front.submit(clerk(), "later", { delay: "1 hour" });
  await front.wait(runId);
  await waitFor(() => expect(worker.health().ended).toBe(1));
  const values = async () =>
    Object.fromEntries(
      (await measured()).map(({ descriptor, dataPoints }) => [descriptor.name, dataPoints[0]?.value]),
    );
  expect(await values()).toMatchObject({
    "haft.fleet.running": 0,
    "haft.fleet.taken": 1,
    "haft.fleet.ended": 1,
    "haft.fleet.queue.ready": 0,
    "haft.fleet.queue.delayed": 1,
    "haft.fleet.queue.oldest": 0,
    "haft.fleet.parked": 0,
    "haft.fleet.dead": 0,
  });
  stop();
});
