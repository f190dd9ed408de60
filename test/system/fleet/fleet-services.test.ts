import { expect, it } from "vitest";
import { fleet } from "../../../src/fleet/fleet.ts";
import { fleetServices } from "../../../src/fleet/fleet-services.ts";
import { remote } from "../../../src/fleet/remote.ts";
import { limit } from "../../../src/pipeline/layers/limit.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { tool } from "../../../src/tools/tool.ts";
import type { Implementation } from "../../../src/types/tool.ts";
import { clerkAgent, fleetScene, workTool } from "../kit/fleet-scene.ts";

const scene = fleetScene();

const render = (how: { readonly implementation: Implementation } | { readonly run: () => unknown }) =>
  tool({ name: "render", description: "Draws.", input: [], ...how } as never);

const tablesOf = async (haft: Haft, url: string): Promise<readonly string[]> => {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client
    .query("SELECT tablename FROM pg_tables WHERE tablename IN ('haft_limits', 'haft_pool_jobs')")
    .finally(() => client.end());
  expect(haft).toBeDefined();
  return rows.map(({ tablename }) => String(tablename)).sort();
};

it("a process that only submits runs creates no tables for limits and pools", async () => {
  const url = await scene.fresh();
  const haft = await scene.open({ url, tools: [workTool(() => 1)] });
  await haft.submit(clerkAgent(), "one");
  expect(await tablesOf(haft, url)).toEqual([]);
});

it("a limit with scope fleet works with Haft.open and fleet() alone", async () => {
  const url = await scene.fresh();
  const limited = workTool((name) => name).layer(limit({ scope: "fleet", name: "work", concurrency: 2 }));
  const haft = await scene.open({ url, tools: [limited] });
  expect(await haft.call("work" as never, { name: "a" } as never)).toBe("a");
  expect(await tablesOf(haft, url)).toEqual(["haft_limits", "haft_pool_jobs"]);
});

it("a worker with pools and no agents serves tools that run locally, and takes no runs", async () => {
  const url = await scene.fresh();
  const front = await scene.open({
    url,
    tools: [render({ implementation: remote("gpu") }), workTool(() => 1)],
  });
  const { runId } = await front.submit(clerkAgent(), "one");
  // The tool is remote in this runtime too, so the pool has no code for it.
  const without = await scene.open({ url, tools: [render({ implementation: remote("gpu") })] });
  const idle = await scene.work(without, { agents: [], pools: ["gpu"] });
  const failing = front.call("render" as never, {} as never);
  await expect(failing).rejects.toMatchObject({
    code: "not_bound",
    message: expect.stringContaining("no tool"),
  });
  await idle.drain();
  const back = await scene.open({ url, tools: [render({ run: () => "drawn" })] });
  const worker = await scene.work(back, { agents: [], pools: ["gpu"], poolConcurrency: 1 });
  expect(await front.call("render" as never, {} as never)).toBe("drawn");
  expect(worker.health().taken).toBe(0);
  expect(await worker.look()).toMatchObject({ queue: { ready: 1 }, pools: [] });
  await front.cancel(runId);
});

it("a draining worker lets a pool call end within its grace period", async () => {
  const url = await scene.fresh();
  const front = await scene.open({ url, tools: [render({ implementation: remote("gpu") })] });
  const begun = Promise.withResolvers<void>();
  const goOn = Promise.withResolvers<void>();
  const run = async () => {
    begun.resolve();
    await goOn.promise;
    return "drawn";
  };
  const back = await scene.open({ url, tools: [render({ run })] });
  const worker = await scene.work(back, { agents: [], pools: ["gpu"] });
  const calling = front.call("render" as never, {} as never);
  await begun.promise;
  expect((await worker.look()).pools).toEqual([{ pool: "gpu", waiting: 0, running: 1, oldestSeconds: 0 }]);
  const drained = worker.drain();
  goOn.resolve();
  expect(await calling).toBe("drawn");
  await drained;
  expect(worker.health().state).toBe("closed");
});

it("openWorker rejects missing agents and pools and invalid pool names", async () => {
  const haft = await scene.open({ url: await scene.fresh() });
  await expect(scene.work(haft, { agents: [] })).rejects.toThrow("`agents` of openWorker");
  await expect(scene.work(haft, { agents: [], pools: ["a b"] })).rejects.toThrow("`pools` of openWorker");
});

it("calls that need the fleet fail with the missing options when the ledger is not in PostgreSQL", async () => {
  const limited = workTool((name) => name).layer(limit({ scope: "fleet", name: "work", concurrency: 2 }));
  await using haft = await Haft.open({
    tools: [limited, render({ implementation: remote("gpu") })],
    principal: { agent: "front", allow: ["*"] },
    fleet: fleet(),
  } as never);
  const call = (name: string, input: object) => haft.call(name as never, input as never);
  await expect(call("work", { name: "a" })).rejects.toMatchObject({ code: "layer_broke" });
  await expect(call("render", {})).rejects.toThrow('ledger: "postgres://…", fleet: fleet()');
});

it("fleetServices rejects a URL that is not PostgreSQL", () => {
  expect(() => fleetServices({ url: "sqlite:./haft.db" })).toThrow("A fleet meets in PostgreSQL");
});
