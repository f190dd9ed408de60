import { expect, it } from "vitest";
import { fleetMetrics } from "../../../src/integrations/otel/fleet-metrics.ts";
import { useTelemetry } from "../../kit/telemetry.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { clerkAgent, fleetScene, workTool } from "../kit/fleet-scene.ts";

const scene = fleetScene();

it("fleetMetrics measures a worker and its queue until it is stopped", async () => {
  const { measured } = useTelemetry();
  const url = await scene.fresh();
  const work = workTool((name) => name);
  const front = await scene.open({ url, tools: [work] });
  const back = await scene.open({ url, tools: [work] });
  const worker = await scene.work(back, { agents: [clerkAgent()] });
  const stop = fleetMetrics(worker);
  const { runId } = await front.submit(clerkAgent(), "x");
  await front.submit(clerkAgent(), "later", { delay: "1 hour" });
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
