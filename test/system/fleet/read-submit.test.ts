import { describe, expect, it } from "vitest";
import { readSubmission } from "../../../src/fleet/read-submission.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { clerkAgent, fleetScene, workTool } from "../kit/fleet-scene.ts";

const work = workTool((name) => `worked on ${name}`);

describe("what cannot be submitted", () => {
  const scene = fleetScene();

  it("without a fleet is refused with what to pass", async () => {
    await using haft = await Haft.open({ principal: { agent: "front", allow: ["*"] } });
    await expect(haft.submit(clerkAgent({ tools: [] }), "x")).rejects.toThrow(/fleet: fleet\(\)/);
  });

  it("with a ledger that workers cannot reach is refused", async () => {
    const front = await scene.open({ url: "sqlite::memory:", tools: [work] });
    await expect(front.submit(clerkAgent(), "x")).rejects.toThrow(/needs a ledger in PostgreSQL/);
  });

  it("without a key that seals its texts is refused, and leaves no run behind that would wait for ever", async () => {
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
    [{ delay: 9e15 }, /a year at most/],
    [{ schedule: "every day" }, /five fields/],
    [{ timezone: "UTC" }, /schedule/],
    [{ retries: 3 }, /means nothing/],
  ])("with %j is refused by name", (options, message) => {
    expect(() => readSubmission({ agent: "a" }, clerkAgent(), "x", options as never)).toThrow(message);
  });
});
