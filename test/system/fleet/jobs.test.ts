import { afterEach, describe, expect, it } from "vitest";
import { openQueue, type Queue } from "../../../src/fleet/open-queue.ts";
import { keyedRunId, newRunId, queueJobIdOf } from "../../../src/fleet/run-id.ts";
import { openRunJobs, type RunJobs } from "../../../src/fleet/run-jobs.ts";
import type { RunPriority } from "../../../src/types/fleet.ts";
import { usePostgres } from "../kit/use-postgres.ts";

describe("fleet jobs", () => {
  const world = usePostgres();
  const opened: Queue[] = [];
  afterEach(async () => {
    await Promise.all(opened.splice(0).map((queue) => queue.close()));
  });
  const open = async (shares: Readonly<Record<string, number>> = {}): Promise<RunJobs> => {
    const queue = await openQueue({ url: await world.fresh() });
    opened.push(queue);
    return openRunJobs(queue, { shares });
  };
  const named = new Map<string, string>();
  const send = async (
    jobs: RunJobs,
    tenant: string,
    count: number,
    priority: RunPriority = "normal",
  ): Promise<void> => {
    const all = Array.from({ length: count }, () => newRunId());
    for (const runId of all) named.set(runId, tenant + (priority === "normal" ? "" : ` ${priority}`));
    await Promise.all(all.map((runId) => jobs.send({ runId, tenant, priority })));
  };
  const takeAll = async (jobs: RunJobs, most: number): Promise<readonly string[]> => {
    const taken: string[] = [];
    while (taken.length < most) {
      const found = await jobs.take(1);
      if (found.length === 0) break;
      taken.push(...found.map(({ runId }) => named.get(runId)!));
    }
    return taken;
  };

  it("serve a tenant with one run soon after a tenant with ten thousand", async () => {
    const jobs = await open();
    await send(jobs, "many", 10_000);
    await jobs.take(100);
    await send(jobs, "one", 1);
    expect(await takeAll(jobs, 3)).toContain("one");
  });

  it("alternate between tenants, in proportion to their shares", async () => {
    const even = await open();
    await send(even, "a", 50);
    await send(even, "b", 50);
    expect(count(await takeAll(even, 40))).toEqual({ a: 20, b: 20 });
    const uneven = await open({ a: 4 });
    await send(uneven, "a", 50);
    await send(uneven, "b", 50);
    expect(count(await takeAll(uneven, 50))).toEqual({ a: 40, b: 10 });
  });

  it("give a tenant that was served before the same share as a new one", async () => {
    const jobs = await open();
    await send(jobs, "old", 200);
    await takeAll(jobs, 200);
    await send(jobs, "old", 50);
    await send(jobs, "new", 50);
    const { old = 0, new: fresh = 0 } = count(await takeAll(jobs, 40));
    expect(Math.abs(old - fresh)).toBeLessThanOrEqual(2);
  });

  it("take high-priority runs of a tenant first, within the share of the tenant", async () => {
    const jobs = await open();
    await send(jobs, "a", 100);
    await send(jobs, "b", 100);
    await send(jobs, "a", 100, "high");
    expect(count(await takeAll(jobs, 60))).toEqual({ a: 10, b: 10, "a high": 40 });
  });

  it("are taken once when a run is sent twice", async () => {
    const jobs = await open();
    const runId = newRunId();
    await Promise.all([1, 2].map(() => jobs.send({ runId, tenant: undefined, priority: "normal" })));
    await jobs.send({ runId, tenant: undefined, priority: "normal" });
    expect(await jobs.take(10)).toHaveLength(1);
    await jobs.send({ runId, tenant: undefined, priority: "normal" });
    expect(await jobs.take(10)).toHaveLength(0);
  });

  it("take a woken run before waiting ones, with its data", async () => {
    const jobs = await open();
    await send(jobs, "a", 20);
    const [first] = await jobs.take(1);
    await send(jobs, "b", 20);
    await jobs.wake(first!.runId, { lost: 3 });
    const next = await jobs.take(3);
    expect(next).toContainEqual({ runId: first!.runId, data: { lost: 3 } });
  });

  it("derive the run id from key, tenant, user and agent", () => {
    const caller = { agent: "a", user: "u", tenant: "t" };
    const id = keyedRunId(caller, "k");
    expect(keyedRunId({ ...caller, session: "s", allow: ["*"] }, "k")).toBe(id);
    const others = [
      keyedRunId({ ...caller, agent: "b" }, "k"),
      keyedRunId({ ...caller, user: "v" }, "k"),
      keyedRunId({ ...caller, tenant: "w" }, "k"),
      keyedRunId(caller, "l"),
      keyedRunId({ agent: "a" }, "k"),
    ];
    expect(new Set([id, ...others]).size).toBe(6);
    expect(queueJobIdOf(id)).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-8[0-9a-f]{3}-8[0-9a-f]{3}-[0-9a-f]{12}$/);
  });
});

const count = (names: readonly string[]): Record<string, number> => {
  const counts: Record<string, number> = {};
  for (const name of names) counts[name] = (counts[name] ?? 0) + 1;
  return counts;
};
