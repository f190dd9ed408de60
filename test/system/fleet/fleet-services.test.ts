import { expect, it } from "vitest";
import { fleet } from "../../../src/fleet/fleet.ts";
import { fleetServices } from "../../../src/fleet/fleet-services.ts";
import { limit } from "../../../src/pipeline/layers/limit.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { clerkAgent, fleetScene, workTool } from "../kit/fleet-scene.ts";

const scene = fleetScene();

const tablesOf = async (haft: Haft, url: string): Promise<readonly string[]> => {
  const { default: pg } = await import("pg");
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const { rows } = await client
    .query("SELECT tablename FROM pg_tables WHERE tablename = 'haft_limits'")
    .finally(() => client.end());
  expect(haft).toBeDefined();
  return rows.map(({ tablename }) => String(tablename)).sort();
};

it("a process that only submits runs creates no tables for limits", async () => {
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
  expect(await tablesOf(haft, url)).toEqual(["haft_limits"]);
});

it("openWorker rejects a list without agents", async () => {
  const haft = await scene.open({ url: await scene.fresh() });
  await expect(scene.work(haft, { agents: [] })).rejects.toThrow("`agents` of openWorker");
});

it("a limit with scope fleet refuses calls when the ledger is not in PostgreSQL", async () => {
  const limited = workTool((name) => name).layer(limit({ scope: "fleet", name: "work", concurrency: 2 }));
  await using haft = await Haft.open({
    tools: [limited],
    principal: { agent: "front", allow: ["*"] },
    fleet: fleet(),
  } as never);
  await expect(haft.call("work" as never, { name: "a" } as never)).rejects.toMatchObject({
    code: "layer_broke",
  });
});

it("fleetServices rejects a URL that is not PostgreSQL", () => {
  expect(() => fleetServices({ url: "sqlite:./haft.db" })).toThrow("A fleet needs the PostgreSQL database");
});
