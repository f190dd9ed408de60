import { describe, expect, it } from "vitest";
import { openQueue } from "../../../src/fleet/open-queue.ts";
import { readFleetOverview } from "../../../src/fleet/read-fleet-overview.ts";
import { clerkAgent, fleetScene, workTool } from "../kit/fleet-scene.ts";
import { queryAt } from "../kit/postgres-test-server.ts";

const work = workTool((name) => name);

describe("concurrent submissions", () => {
  const scene = fleetScene();

  it("succeed when some tenant names cannot be stored as PostgreSQL JSON", async () => {
    const { front, back } = await scene.two(work);
    await scene.work(back, { agents: [clerkAgent()] });
    const tenants = ["good", "z\ud800", "nul\0", "good"];
    const runs = await Promise.all(
      tenants.map((tenant) => front.submit(clerkAgent(), "x", { tenant, delay: 50 })),
    );
    const ended = await Promise.all(runs.map(({ runId }) => front.wait(runId)));
    expect(ended.map(({ status }) => status)).toEqual(["done", "done", "done", "done"]);
  });

  it("are all cancelled when there are hundreds of them", async () => {
    const { front } = await scene.two(work);
    const runs = await Promise.all(Array.from({ length: 450 }, () => front.submit(clerkAgent(), "x")));
    const given = await Promise.all(runs.map(({ runId }) => front.cancel(runId)));
    expect(new Set(given)).toEqual(new Set(["given-up"]));
  });
});

describe("submitted run", () => {
  const scene = fleetScene();

  it("is found after its job was lost when its timestamp is in the future", async () => {
    const { url, front, back } = await scene.two(work);
    const { runId } = await front.submit(clerkAgent(), "x");
    await queryAt(url, "UPDATE haft_runs SET updated_at = updated_at + 3600000");
    await queryAt(url, "DELETE FROM haft_jobs.job WHERE name = 'runs'");
    await scene.work(back, { agents: [clerkAgent()] });
    expect(await front.wait(runId)).toMatchObject({ status: "done" });
  });
});

describe("fleet overview", () => {
  const scene = fleetScene();

  it("shows a worker row that is not JSON", async () => {
    const { url, back } = await scene.two(work);
    await scene.work(back, { agents: [clerkAgent()] });
    await queryAt(url, "UPDATE haft_jobs.haft_workers SET agents = 'no json'");
    const queue = await openQueue({ url, makesTables: false });
    expect((await readFleetOverview(queue)).workers).toMatchObject([{ agents: ["no json"] }]);
    await queue.close();
  });
});
