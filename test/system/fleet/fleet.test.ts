import { describe, expect, it } from "vitest";
import { runIdOfQueueJob } from "../../../src/fleet/run-id.ts";
import { openLedger } from "../../../src/ledger/ledger-admin.ts";
import { tool } from "../../../src/tools/tool.ts";
import { waitFor } from "../../kit/wait-for.ts";
import {
  approvalWorkTool,
  clerkAgent,
  fleetScene,
  modelReplying,
  workOnceReply,
  workTool,
} from "../kit/fleet-scene.ts";
import { queryAt } from "../kit/postgres-test-server.ts";

const work = workTool((name) => `worked on ${name}`);

/** Makes two calls in one turn. */
const twice = clerkAgent({
  model: modelReplying((messages) => {
    const one = workOnceReply(messages);
    const calls = one.calls.flatMap((call) =>
      ["a", "b"].map((id) => ({ ...call, id, input: `{"name":"${id}"}` })),
    );
    return { ...one, calls };
  }),
});

describe("submitted run", () => {
  const scene = fleetScene();

  it("is executed by a worker of another runtime, and its submitter reads the response", async () => {
    const { front, back } = await scene.two(work);
    const { runId, isNew } = await front.submit(clerkAgent(), "a parcel");
    expect({ runId, isNew }).toEqual({ runId: expect.stringMatching(/^job-/), isNew: true });
    const worker = await scene.work(back, { agents: [clerkAgent()] });
    const response = await front.wait(runId);
    expect(response).toMatchObject({
      status: "done",
      content: expect.stringContaining("worked on a parcel"),
      toolsUsed: [{ name: "work", ok: true }],
      turns: 2,
      runId,
    });
    expect(worker.health()).toMatchObject({ state: "working", isReady: true });
    const [entry] = await front.log({ runId, tool: "work" });
    expect(entry).toMatchObject({ agent: "front", ending: "executed" });
  });

  it("runs with the permissions of its caller, not of the worker", async () => {
    const { front, back } = await scene.two(work);
    await scene.work(back, { agents: [clerkAgent()] });
    const weak = front.as({ agent: "weak", allow: ["nothing"] });
    const response = await weak.wait((await weak.submit(clerkAgent(), "x")).runId);
    expect(response).toMatchObject({
      status: "failed",
      reason: expect.stringContaining('may not use any tool of "clerk"'),
    });
  });

  it("submitted inside a tool belongs to the caller of the tool and inherits its untrusted content", async () => {
    const url = await scene.fresh();
    const carried: string[] = [];
    const send = tool({
      name: "work",
      description: "Carries data out.",
      input: { type: "object", properties: { name: { type: "string" } }, required: ["name"] },
      annotations: { openWorld: true },
      run: async ({ name }) => carried.push(name),
    });
    const read = tool({
      name: "read",
      description: "Reads an untrusted page.",
      input: { type: "object" },
      annotations: { readOnly: true, openWorld: true },
      run: async () => "mail me",
    });
    const leave = tool({
      name: "leave",
      description: "Leaves work to others.",
      input: { type: "object" },
      run: async (): Promise<string> => {
        await front.call("read", {});
        return (await front.submit(clerkAgent(), "x")).runId;
      },
    });
    const front = await scene.open({ url, tools: [send, read, leave] });
    const back = await scene.open({ url, tools: [send, read, leave] });
    await scene.work(back, { agents: [clerkAgent()] });
    const ada = front.as({ agent: "desk", user: "ada", allow: ["*"] });
    const runId = (await ada.call("leave", {})) as string;
    await expect(front.wait(runId)).rejects.toThrow(/no run/);
    expect(await ada.wait(runId)).toMatchObject({
      status: "pending",
      pending: [{ tool: "work", reason: expect.stringContaining("read") }],
    });
    expect(carried).toEqual([]);
  });

  it("is visible only to its caller", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    const { runId } = await front.submit(clerkAgent(), "x");
    const other = front.as({ agent: "other", allow: ["*"] });
    await expect(other.wait(runId)).rejects.toThrow(/no run/);
    expect(await other.cancel(runId)).toBe("unknown");
    expect(await front.cancel(runId)).toBe("given-up");
    expect(await front.wait(runId)).toMatchObject({ status: "stopped" });
  });

  it("is one run for the same key, and a different input or agent with that key is rejected", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    const all = await Promise.all([1, 2, 3].map(() => front.submit(clerkAgent(), "x", { key: "k" })));
    expect(new Set(all.map(({ runId }) => runId)).size).toBe(1);
    expect(all.filter(({ isNew }) => isNew)).toHaveLength(1);
    await expect(front.submit(clerkAgent(), "y", { key: "k" })).rejects.toThrow(
      /another agent or another input/,
    );
    await expect(front.submit(clerkAgent({ name: "other" }), "x", { key: "k" })).rejects.toThrow(
      /another agent/,
    );
    const elsewhere = await scene.open({ url, tools: [work], tenant: "acme" });
    expect(await elsewhere.submit(clerkAgent(), "y", { key: "k" })).toMatchObject({ isNew: true });
  });

  it("completes after its job was lost", async () => {
    const url = await scene.fresh();
    const front = await scene.open({ url, tools: [work] });
    const { runId } = await front.submit(clerkAgent(), "x");
    const back = await scene.open({ url, tools: [work] });
    await queryAt(url, "DELETE FROM haft_jobs.job WHERE name = 'runs'");
    await scene.work(back, { agents: [clerkAgent()] });
    expect(await front.wait(runId)).toMatchObject({ status: "done" });
  });

  it("becomes a dead letter when its principal was changed in the tables", async () => {
    const { url, front, back } = await scene.two(work);
    const { runId } = await front.submit(clerkAgent(), "x");
    await queryAt(url, 'UPDATE haft_runs SET principal = \'{"agent":"root","allow":["*"]}\'');
    const worker = await scene.work(back, { agents: [clerkAgent()], attempts: 1 });
    await waitFor(async () =>
      expect((await worker.look()).dead).toMatchObject([
        { runId, reason: expect.stringContaining("differs from its first row in the chain") },
      ]),
    );
    expect(await back.log({ runId })).toEqual([]);
  });

  it("is not created by a forged job in the queue", async () => {
    const url = await scene.fresh();
    const calls: string[] = [];
    const spy = workTool((name) => calls.push(name));
    const front = await scene.open({ url, tools: [spy] });
    const { runId } = await front.submit(clerkAgent(), "x");
    const server = await scene.world.open(url);
    const invented = "11111111-1111-4111-8111-111111111111";
    await server.write(function* () {
      yield {
        sql: `INSERT INTO haft_jobs.job (id, name, data) VALUES (?::uuid, 'runs', '{"agent":"clerk","input":"forged"}')`,
        values: [invented],
      };
    });
    const back = await scene.open({ url, tools: [spy] });
    await scene.work(back, { agents: [clerkAgent()] });
    await front.wait(runId);
    await waitFor(async () =>
      expect(await server.read(() => count("SELECT 1 FROM haft_jobs.job WHERE name = 'runs'"))).toBe(0),
    );
    expect(calls).toEqual(["x"]);
    expect(await front.runs()).not.toContainEqual(
      expect.objectContaining({ runId: runIdOfQueueJob(invented) }),
    );
  });

  it("releases its worker while it is pending, and resumes when another process approves", async () => {
    const asked = approvalWorkTool(() => "approved work");
    const { url, front, back } = await scene.two(asked);
    const worker = await scene.work(back, { agents: [clerkAgent()] });
    const { runId } = await front.submit(clerkAgent(), "x");
    const waiting = await front.wait(runId);
    expect(waiting).toMatchObject({ status: "pending", pending: [{ tool: "work" }] });
    await waitFor(() => expect(worker.health().running).toBe(0));
    const admin = await openLedger(url);
    await admin.answer(waiting.pending[0]!.id, { kind: "allow" }, { by: "ada" });
    await admin.end();
    expect(await front.wait(runId, { untilEnded: true })).toMatchObject({
      status: "done",
      content: expect.stringContaining("approved work"),
    });
  });

  it("with two approval requests resumes after the first answer and is pending again until the second", async () => {
    const worked: string[] = [];
    const asked = approvalWorkTool((name) => worked.push(name));
    const { url, front, back } = await scene.two(asked);
    await scene.work(back, { agents: [twice] });
    const { runId } = await front.submit(twice, "x");
    const admin = await openLedger(url);
    for (const left of [2, 1]) {
      const waiting = await front.wait(runId);
      expect(waiting.pending).toHaveLength(left);
      await admin.answer(waiting.pending[0]!.id, { kind: "allow" });
    }
    expect(await front.wait(runId)).toMatchObject({ status: "done" });
    expect(worked.sort()).toEqual(["a", "b"]);
    await admin.end();
  });

  it("is woken by the last answer given through a runtime of the fleet, without a sweep", async () => {
    const asked = approvalWorkTool((name) => name);
    const { url, front, back } = await scene.two(asked);
    const worker = await scene.work(back, { agents: [twice], sweepMs: 1_000_000_000 });
    const { runId } = await front.submit(twice, "x");
    const { pending } = await front.wait(runId);
    await waitFor(() => expect(worker.health().running).toBe(0));
    const desk = await scene.open({ url, tools: [asked] });
    await desk.resume(pending[0]!.id, { kind: "allow" });
    // close() waits for pending wake-ups.
    await desk.close();
    expect((await worker.look()).queue).toMatchObject({ ready: 0, active: 0 });
    expect(worker.health().taken).toBe(1);
    await front.resume(pending[1]!.id, { kind: "deny", reason: "no" });
    expect(await front.wait(runId, { untilEnded: true })).toMatchObject({ status: "done" });
  });

  it("of another agent definition is continued only by a worker that declares it compatible", async () => {
    const { front, back } = await scene.two(work);
    const { runId } = await front.submit(clerkAgent(), "x");
    const changed = clerkAgent({ instructions: "Work otherwise." });
    const strict = await scene.work(back, { agents: [changed] });
    await waitFor(() => expect(strict.health().taken).toBeGreaterThan(0));
    expect((await front.runs())[0]).toMatchObject({ status: "running", turns: 0 });
    await strict.drain();
    const asked: string[] = [];
    const compatible = (from: string, to: string) => asked.push(from, to) > 0;
    await scene.work(back, { agents: [changed], compatible });
    expect(await front.wait(runId)).toMatchObject({ status: "done" });
    expect(new Set(asked).size).toBe(2);
  });

  it("becomes a dead letter with the reason when no worker fits in time", async () => {
    const { front, back } = await scene.two(work);
    const { runId } = await front.submit(clerkAgent(), "x");
    await scene.work(back, { agents: [clerkAgent({ name: "other" })], waitForFitMs: 0 });
    expect(await front.wait(runId)).toMatchObject({
      status: "failed",
      reason: 'No worker has the agent "clerk".',
    });
  });

  it("is retried when its model fails, and becomes a dead letter after the last attempt", async () => {
    let tries = 0;
    const broken = () =>
      clerkAgent({
        model: modelReplying(() => {
          tries += 1;
          throw Object.assign(new Error("overloaded"), { status: 503 });
        }),
      });
    const { front, back } = await scene.two(work);
    const { runId } = await front.submit(broken(), "x");
    await scene.work(back, { agents: [broken()], attempts: 2 });
    expect(await front.wait(runId)).toMatchObject({ status: "failed" });
    // Each attempt calls the model three times.
    expect(tries).toBe(6);
  });

  it("streams its events while it runs elsewhere", async () => {
    const { front, back } = await scene.two(work);
    const { runId } = await front.submit(clerkAgent(), "x");
    const kinds: string[] = [];
    const events = (async () => {
      for await (const event of front.follow(runId)) kinds.push(event.kind);
    })();
    await waitFor(() => expect(kinds).toEqual(["queued"]));
    await scene.work(back, { agents: [clerkAgent()] });
    await events;
    expect(kinds.filter((kind) => kind !== "running")).toEqual(["queued", "call-start", "call-end", "done"]);
  });

  it("with a delay does not start earlier when its job is woken early", async () => {
    const { url, front, back } = await scene.two(work);
    const { runId } = await front.submit(clerkAgent(), "x", { delay: "3 seconds" });
    await queryAt(url, "UPDATE haft_jobs.job SET start_after = now(), data = NULL");
    const worker = await scene.work(back, { agents: [clerkAgent()] });
    await waitFor(() => expect(worker.health().taken).toBeGreaterThan(0));
    const response = await front.wait(runId);
    expect(response.status).toBe("done");
    const [run] = await front.runs();
    const [entry] = await front.log({ runId, tool: "work" });
    expect(entry!.at - run!.startedAt).toBeGreaterThanOrEqual(3_000);
  });

  it("returns its typed output when its agent is given", async () => {
    const counting = clerkAgent({
      output: { type: "object", properties: { n: { type: "number" } }, required: ["n"] },
      model: modelReplying((messages) =>
        messages.some(({ role }) => role === "tool")
          ? { ...workOnceReply(messages), text: '{"n":7}' }
          : workOnceReply(messages),
      ),
    });
    const { front, back } = await scene.two(work);
    await scene.work(back, { agents: [counting] });
    const { runId } = await front.submit(counting, "x");
    expect((await front.wait(runId, { agent: counting })).output).toEqual({ n: 7 });
  });
});

function* count(sql: string) {
  const rows: readonly unknown[] = yield { sql, values: [] };
  return rows.length;
}
