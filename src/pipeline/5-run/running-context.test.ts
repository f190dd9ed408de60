import { type CallContext, type EventMap, Haft, tool } from "haft";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", session: "s1", allow: ["*"] };

const world = async (run: (context: CallContext) => unknown, options: object = {}) => {
  const work = tool({ name: "work", description: "Works", input: [], run: (_, context) => run(context) });
  return Haft.open({ tools: [work], principal, ...options });
};
const turn = (haft: Awaited<ReturnType<typeof world>>, options: object = {}) =>
  haft.turn([{ id: "c1", tool: "work", input: "{}" }], options);

describe("call context", () => {
  it("has the call id, the tool, the principal, the env and a stable signal", async () => {
    const haft = await world(({ callId, tool, principal, env }) => [callId, tool, principal, env]);
    const env = { user: "ada" };
    const [reply] = await turn(haft, { env });
    expect(reply?.value).toEqual(["c1", "work", principal, env]);
    const same = await world((context) => {
      const { signal } = context;
      return [signal === context.signal, signal.aborted];
    });
    expect((await turn(same))[0]?.value).toEqual([true, false]);
  });

  it("has an idempotency key of its own per caller, or the entry id without one", async () => {
    const haft = await world(({ idempotencyKey }) => idempotencyKey);
    const key = await haft.call("work", {}, { idempotencyKey: "order-7" });
    const other = haft.as({ agent: "demo", allow: ["*"], tenant: "another" });
    expect(key).toMatch(/^[0-9a-f]{64}$/);
    expect(await other.call("work", {}, { idempotencyKey: "order-7" })).not.toBe(key);
    const [reply] = await turn(haft);
    expect(reply?.value).toBe((await haft.log({ callId: "c1" } as never))[0]?.entryId);
  });
});

describe("progress", () => {
  const canary = "canary-5b1e-do-not-print";

  it("names its call and is masked", async () => {
    const haft = await world(({ progress }) => progress({ at: 5, with: canary }), {
      credentials: { values: { key: canary } },
    });
    const received: EventMap["tools.progress"][] = [];
    haft.on("tools.progress", (event) => received.push(event));
    await turn(haft);
    const [entry] = await haft.log();
    expect(received).toMatchObject([
      {
        toolName: "work",
        callId: "c1",
        entryId: entry?.entryId,
        runId: entry?.runId,
        agentId: "tester",
        sessionId: "s1",
        update: { at: 5 },
      },
    ]);
    expect(JSON.stringify(received)).not.toContain(canary);
  });

  it("is ignored after the code has answered", async () => {
    const contexts: CallContext[] = [];
    const haft = await world((context) => {
      contexts.push(context);
      context.progress("half");
    });
    const received: unknown[] = [];
    haft.on("tools.progress", ({ update }) => received.push(update));
    await turn(haft);
    contexts[0]?.progress("late");
    expect(received).toEqual(["half"]);
  });

  it("is not read without a listener", async () => {
    let looks = 0;
    const update = {
      get percent(): number {
        looks += 1;
        return 5;
      },
    };
    const haft = await world(({ progress }) => progress(update));
    expect((await turn(haft))[0]?.ok).toBe(true);
    expect(looks).toBe(0);
  });
});

describe("foreign call context", () => {
  it("is not accepted as the parent of a call", async () => {
    const haft = await world(() => "done");
    for (const parent of [{}, { callId: "c0" }])
      await haft.call("work", {}, { parent: parent as never }).catch(() => {});
    expect((await haft.log()).filter(({ parentId }) => parentId !== undefined)).toEqual([]);
  });
});
