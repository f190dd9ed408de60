import { describe, expect, it } from "vitest";
import { readSubmission } from "../../../src/fleet/submit-run.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { clerkAgent, fleetScene, workTool } from "../kit/fleet-scene.ts";

const work = workTool((name) => `worked on ${name}`);

describe("submit", () => {
  const scene = fleetScene();

  it("is rejected without a fleet, naming the missing option", async () => {
    await using haft = await Haft.open({ principal: { agent: "front", allow: ["*"] } });
    await expect(haft.submit(clerkAgent({ tools: [] }), "x")).rejects.toThrow(/fleet: fleet\(\)/);
  });

  it("is rejected with a ledger that workers cannot reach", async () => {
    const front = await scene.open({ url: "sqlite::memory:", tools: [work] });
    await expect(front.submit(clerkAgent(), "x")).rejects.toThrow(/needs a ledger in PostgreSQL/);
  });

  it("is rejected without HAFT_LEDGER_KEY, and leaves no run behind", async () => {
    const url = await scene.fresh();
    const key = process.env.HAFT_LEDGER_KEY;
    delete process.env.HAFT_LEDGER_KEY;
    try {
      const front = await scene.open({ url, tools: [work] });
      await expect(front.submit(clerkAgent(), "x")).rejects.toThrow(/HAFT_LEDGER_KEY/);
      expect(await front.runs({ status: "running" })).toEqual([]);
    } finally {
      process.env.HAFT_LEDGER_KEY = key;
    }
  });

  it.each([
    [{ priority: "urgent" }, /priority/],
    [{ delay: "soon" }, /delay/],
    [{ delay: 9e15 }, /at most one year/],
    [{ schedule: "every day" }, /five cron fields/],
    [{ timezone: "UTC" }, /schedule/],
    [{ retries: 3 }, /unknown field `retries`/],
  ])("is rejected with %j", (options, message) => {
    expect(() => readSubmission({ agent: "a" }, clerkAgent(), "x", options as never)).toThrow(message);
  });
});
