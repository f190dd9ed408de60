import * as Effect from "effect/Effect";
import { describe, expect, it } from "vitest";
import { redactor } from "../../../src/base/json/redact.ts";
import { connectFleet } from "../../../src/fleet/connect-fleet.ts";
import { fleet, fleetOf } from "../../../src/fleet/fleet.ts";
import { openWorker } from "../../../src/fleet/open-worker.ts";
import { openLedger } from "../../../src/ledger/ledger-admin.ts";
import { openDurableLedger } from "../../../src/ledger/open-durable-ledger.ts";
import { Haft } from "../../../src/runtime/haft.ts";
import { LedgerError } from "../../../src/types/errors.ts";
import type { EntryOpening } from "../../../src/types/ledger.ts";
import { haft } from "../../cli/haft.ts";
import { waitFor } from "../../kit/wait-for.ts";
import { clerkAgent, fleetScene, modelReplying, workOnceReply, workTool } from "../kit/fleet-scene.ts";
import { singleStatement } from "../kit/use-postgres.ts";

const work = workTool((name) => `worked on ${name}`);

describe("fleet worker", () => {
  const scene = fleetScene();

  /** A tool that runs until the test opens it, and counts its starts. */
  const gate = () => {
    let open = (): void => {};
    const held = new Promise<void>((resolve) => {
      open = resolve;
    });
    let begun = 0;
    const tool = workTool(async (name) => {
      begun += 1;
      await held;
      return name;
    });
    return { tool, open: () => open(), begun: () => begun };
  };

  it("finishes its current run when it is drained, and takes no other", async () => {
    const url = await scene.fresh();
    const slow = gate();
    const front = await scene.open({ url, tools: [slow.tool] });
    const back = await scene.open({ url, tools: [slow.tool] });
    const worker = await scene.work(back, { agents: [clerkAgent()], concurrency: 1 });
    const first = await front.submit(clerkAgent(), "first");
    await waitFor(async () => expect(await slow.begun()).toBe(1));
    const second = await front.submit(clerkAgent(), "second");
    const drained = worker.drain();
    expect(worker.health()).toMatchObject({ state: "draining", isReady: false });
    slow.open();
    await drained;
    expect(await front.wait(first.runId)).toMatchObject({ status: "done" });
    const left = (await front.runs()).find(({ runId }) => runId === second.runId);
    expect(left).toMatchObject({ status: "running", turns: 0, isHeld: false });
    expect(await worker.closed).toBeUndefined();
  });

  it("releases a run when its grace period ends, and another worker does not repeat the interrupted call", async () => {
    const url = await scene.fresh();
    const slow = gate();
    const front = await scene.open({ url, tools: [work] });
    const back = await scene.open({ url, tools: [slow.tool] });
    const worker = await scene.work(back, { agents: [clerkAgent()], graceMs: 0 });
    const { runId } = await front.submit(clerkAgent(), "x");
    await waitFor(async () => expect(await slow.begun()).toBe(1));
    await worker.drain();
    const other = await scene.open({ url, tools: [work] });
    await scene.work(other, { agents: [clerkAgent()] });
    const response = await front.wait(runId);
    slow.open();
    expect(response).toMatchObject({ status: "done", toolsUsed: [{ name: "work", ok: false }] });
    expect(response.toolsUsed[0]?.error).toContain("may have");
    expect(await front.log({ runId, tool: "work" })).toMatchObject([{ ending: "unknown" }]);
  });

  it("counts a run woken while it runs until its code ends, and waits for it when drained", async () => {
    const url = await scene.fresh();
    const slow = gate();
    const front = await scene.open({ url, tools: [slow.tool] });
    const back = await scene.open({ url, tools: [slow.tool] });
    const worker = await scene.work(back, { agents: [clerkAgent()], concurrency: 4 });
    const { runId } = await front.submit(clerkAgent(), "x");
    await waitFor(() => expect(slow.begun()).toBe(1));
    const { shared, options } = fleetOf(front);
    const connection = await connectFleet(shared, options, false);
    await connection.jobs.wake(runId);
    const { sql, schema } = connection.queue;
    // The worker finds the run leased and puts the second job back.
    const putBack = `SELECT 1 FROM ${schema}.job WHERE (data->>'passed')::int >= 1 AND state = 'created'`;
    await waitFor(async () => expect(await sql(putBack)).toHaveLength(1));
    expect(worker.health().running).toBeGreaterThan(0);
    const drained = worker.drain();
    slow.open();
    await drained;
    await connection.close();
    expect(await front.wait(runId)).toMatchObject({
      status: "done",
      toolsUsed: [{ name: "work", ok: true }],
    });
  });

  it("does not continue a run that was cancelled while it ran", async () => {
    const url = await scene.fresh();
    const slow = gate();
    const front = await scene.open({ url, tools: [slow.tool] });
    const back = await scene.open({ url, tools: [slow.tool] });
    const worker = await scene.work(back, { agents: [clerkAgent()] });
    const { runId } = await front.submit(clerkAgent(), "x");
    await waitFor(async () => expect(await slow.begun()).toBe(1));
    expect(await front.cancel(runId)).toBe("given-up");
    slow.open();
    await waitFor(() => expect(worker.health().running).toBe(0));
    expect(await front.wait(runId)).toMatchObject({ status: "stopped" });
    expect(worker.health().ended).toBe(0);
  });

  it("checks the current principal of the caller, and fails the run of a removed one", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    const back = await scene.open({ url, tools: [work] });
    const principal = ({ user }: { readonly user?: string }) =>
      user === "gone" ? undefined : { agent: "front", user: "here", allow: ["*"] };
    await scene.work(back, { agents: [clerkAgent()], principal: principal as never });
    const as = (user: string) => front.as({ agent: "front", user, allow: ["*"] });
    const here = await as("here").submit(clerkAgent(), "x");
    const gone = await as("gone").submit(clerkAgent(), "x");
    expect(await as("here").wait(here.runId)).toMatchObject({ status: "done" });
    expect(await as("gone").wait(gone.runId)).toMatchObject({
      status: "failed",
      reason: "Its caller is no longer authorized.",
    });
  });

  it("submits one run per due time of a schedule, with several workers", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    const schedule = await front.submit(clerkAgent(), "x", {
      schedule: "0 9 * * *",
      timezone: "Europe/Oslo",
    });
    expect(schedule).toMatchObject({ isNew: true, runId: expect.stringMatching(/^schedule-/) });
    const again = await front.submit(clerkAgent(), "x", { schedule: "0 9 * * *", timezone: "Europe/Oslo" });
    expect(again).toEqual({ ...schedule, isNew: false });
    const server = await scene.world.open(url);
    const tick = (at: string) => ({
      // Uses the retry settings of the queue, as scheduled jobs do.
      sql: `INSERT INTO haft_jobs.job (id, name, data, created_on, retry_limit, retry_delay)
            SELECT gen_random_uuid(), name, ?::jsonb, ?::timestamptz, retry_limit, retry_delay
            FROM haft_jobs.queue WHERE name = 'runs-due'`,
      values: [JSON.stringify({ schedule: schedule.runId, priority: "normal" }), at],
    });
    await server.write(function* () {
      yield tick("2026-11-18 08:00:03Z");
      yield tick("2026-11-18 08:00:41Z");
      yield tick("2026-11-19 08:00:00Z");
    });
    // A worker that cannot submit the run leaves it to the others.
    const unfit = { agents: [clerkAgent({ name: "other" })] };
    for (const options of [unfit, { agents: [clerkAgent()] }, { agents: [clerkAgent()] }]) {
      const back = await scene.open({ url, tools: [work] });
      await scene.work(back, options);
    }
    const jobs = async () => (await front.runs()).filter(({ runId }) => runId.startsWith("job-"));
    const done = async () => (await jobs()).filter(({ status }) => status === "done").length;
    await waitFor(async () => expect(await done()).toBe(2));
    expect(await jobs()).toHaveLength(2);
    expect(await front.cancel(schedule.runId)).toBe("given-up");
    const seen = await server.read(() => singleStatement("SELECT key FROM haft_jobs.schedule"));
    expect(seen).toEqual([]);
  });

  it("leaves a dead letter when a run fails permanently", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    const back = await scene.open({ url, tools: [work] });
    const refusing = clerkAgent({
      model: modelReplying(() => {
        throw Object.assign(new Error("no such model"), { status: 400 });
      }),
    });
    const worker = await scene.work(back, { agents: [refusing] });
    const { runId } = await front.submit(refusing, "x");
    expect(await front.wait(runId)).toMatchObject({ status: "failed" });
    await waitFor(async () => expect((await worker.look()).dead).toMatchObject([{ runId }]));
    expect(await worker.look()).toMatchObject({
      workers: [{ agents: ["clerk"], state: "working" }],
      queue: { ready: 0, active: 0 },
    });
  });

  it("leaves a valid chain with the hash of the agent definition", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    const back = await scene.open({ url, tools: [work] });
    await scene.work(back, { agents: [clerkAgent()] });
    const { runId } = await front.submit(clerkAgent(), "x");
    await front.wait(runId);
    const admin = await openLedger(url);
    expect(await admin.verify()).toMatchObject({ ok: true });
    const [began] = (await admin.rows()).filter((row) => row.runId === runId);
    expect(began).toMatchObject({
      kind: "run-began",
      body: { queued: { definition: expect.stringMatching(/^[0-9a-f]{64}$/) } },
    });
    await admin.end();
  });

  it("closes when its ledger is unavailable, and another worker makes the call", async () => {
    const url = await scene.fresh();
    const store = await openDurableLedger(url, { redactor: redactor() });
    const away = () => Effect.fail(new LedgerError("ledger_unavailable", "It is away."));
    const broken = {
      ...store,
      open: (entry: EntryOpening) => (entry.tool === "work" ? away() : store.open(entry)),
    };
    const front = await scene.open({ url, tools: [work] });
    const back = await Haft.open({ tools: [work], ledger: broken, fleet: fleet({ url }) });
    const worker = await scene.work(back as never, { agents: [clerkAgent()] });
    const { runId } = await front.submit(clerkAgent(), "x");
    expect(await worker.closed).toContain("Restart it");
    await back.close();
    await scene.work(await scene.open({ url, tools: [work] }), { agents: [clerkAgent()] });
    const response = await front.wait(runId);
    expect(response).toMatchObject({ status: "done", toolsUsed: [{ name: "work", ok: true }] });
    expect(JSON.stringify(response.context)).not.toContain("recorded right now");
  });

  it("is rejected without a fleet and with invalid options", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    await expect(openWorker({}, { agents: [clerkAgent()] })).rejects.toThrow(/needs a runtime/);
    await expect(openWorker(front, { agents: [] })).rejects.toThrow(/list of agents/);
    await expect(openWorker(front, { agents: [clerkAgent()], concurrency: 0 })).rejects.toThrow(
      /concurrency/,
    );
    await expect(openWorker(front, { agents: [clerkAgent()], retries: 1 } as never)).rejects.toThrow(
      /unknown field `retries`/,
    );
  });

  it("continues a woken dead letter without repeating its calls", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    let isFirst = true;
    const stumbling = clerkAgent({
      model: modelReplying((messages) => {
        if (messages.some(({ role }) => role === "tool") && isFirst) {
          isFirst = false;
          throw Object.assign(new Error("away"), { status: 400 });
        }
        return workOnceReply(messages);
      }),
    });
    const back = await scene.open({ url, tools: [work] });
    await scene.work(back, { agents: [stumbling] });
    const { runId } = await front.submit(stumbling, "x");
    expect(await front.wait(runId)).toMatchObject({ status: "failed" });
    await haft(["fleet", "wake", runId, "--ledger", url]);
    await waitFor(async () => expect((await front.wait(runId)).status).toBe("done"));
    expect(await front.log({ runId, tool: "work" })).toHaveLength(1);
  });
});
