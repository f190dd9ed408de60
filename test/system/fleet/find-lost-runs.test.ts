import { expect, it } from "vitest";
import { clerkAgent, fleetScene, workTool } from "../kit/fleet-scene.ts";
import { singleStatement } from "../kit/use-postgres.ts";

const scene = fleetScene();

it("the sweep finds lost runs by an index", async () => {
  const url = await scene.fresh();
  const work = workTool((name) => name);
  const front = await scene.open({ url, tools: [work] });
  const back = await scene.open({ url, tools: [work] });
  await scene.work(back, { agents: [clerkAgent()] });
  await front.wait((await front.submit(clerkAgent(), "x")).runId);
  const database = await scene.world.open(url);
  await database.write(() =>
    singleStatement(
      `INSERT INTO haft_runs (run_id, agent, status, turns, usage, started_at, updated_at, given, messages, began_seq, last_seq, recorded)
       SELECT 'job-' || gen_random_uuid(), 'a', 'done', 1, '{}', 1, 1, 1, 1, 1, 1, 0 FROM generate_series(1, 20000)`,
    ),
  );
  await database.write(() => singleStatement("ANALYZE haft_runs"));
  const plan = await database.read(() =>
    singleStatement(
      `EXPLAIN SELECT run_id FROM haft_runs r WHERE r.run_id LIKE 'job-%' AND r.owner IS NULL
       AND r.status IN ('running', 'pending')`,
    ),
  );
  expect(JSON.stringify(plan)).toContain("haft_runs_free");
});
