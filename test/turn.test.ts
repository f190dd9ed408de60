import { final, Haft, handoff, type Principal, type RawCall, tool } from "haft";
import { describe, expect, it } from "vitest";

const principal: Principal = { agent: "tester", allow: ["*"] };
const any = { type: "object" } as const;

/** A tool whose calls end on demand. */
const gated = (name: string) => {
  const open = new Map<
    string,
    { resolve: (value: unknown) => void; reject: (error: Error) => void; signal: AbortSignal }
  >();
  const made = tool({
    name,
    description: "Waits for the test",
    input: any,
    run: (_, { callId, signal }) =>
      new Promise((resolve, reject) => open.set(callId, { resolve, reject, signal })),
  });
  return { tool: made, open };
};

const calls = (tool: string, ...ids: string[]): RawCall[] => ids.map((id) => ({ id, tool, input: "{}" }));

/** Runs everything that is due; no time passes. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve));

describe("turn", () => {
  it("replies keep the order of the calls, even when the first call is slowest", async () => {
    const wait = gated("wait");
    const haft = await Haft.open({ tools: [wait.tool], principal });
    const turn = haft.turn(calls("wait", "a", "b", "c"));
    await settled();
    for (const id of ["c", "b", "a"]) wait.open.get(id)?.resolve(id);
    expect((await turn).map((reply) => [reply.id, reply.value])).toEqual([
      ["a", "a"],
      ["b", "b"],
      ["c", "c"],
    ]);
  });

  it("at most maxConcurrency calls run at once", async () => {
    const wait = gated("wait");
    const haft = await Haft.open({ tools: [wait.tool], principal });
    const turn = haft.turn(calls("wait", "a", "b", "c"), { maxConcurrency: 2 });
    await settled();
    expect([...wait.open.keys()]).toEqual(["a", "b"]);
    wait.open.get("a")?.resolve(1);
    await settled();
    expect([...wait.open.keys()]).toEqual(["a", "b", "c"]);
    wait.open.get("b")?.resolve(1);
    wait.open.get("c")?.resolve(1);
    expect(await turn).toHaveLength(3);
  });

  it("aborting the signal cancels every call, aborts every tool, and every id still gets its reply", async () => {
    const wait = gated("wait");
    const haft = await Haft.open({ tools: [wait.tool], principal });
    const abort = new AbortController();
    const turn = haft.turn(calls("wait", "a", "b", "c"), { signal: abort.signal, maxConcurrency: 2 });
    await settled();
    const { signal } = wait.open.get("a")!;
    expect(signal.aborted).toBe(false);
    abort.abort();
    expect((await turn).map((reply) => [reply.id, reply.failure?.code])).toEqual([
      ["a", "cancelled"],
      ["b", "cancelled"],
      ["c", "cancelled"],
    ]);
    expect([signal.aborted, wait.open.get("b")?.signal.aborted, wait.open.has("c")]).toEqual([
      true,
      true,
      false,
    ]);
    expect((await haft.log()).map((entry) => [entry.callId, entry.ending, entry.code])).toEqual([
      ["a", "failed", "cancelled"],
      ["b", "failed", "cancelled"],
      ["c", "failed", "cancelled"],
    ]);
  });

  it("a turn that is cancelled beforehand runs nothing and answers every call", async () => {
    const wait = gated("wait");
    const haft = await Haft.open({ tools: [wait.tool], principal });
    const replies = await haft.turn(calls("wait", "a", "b"), { signal: AbortSignal.abort() });
    expect(replies.map((reply) => reply.failure?.code)).toEqual(["cancelled", "cancelled"]);
    expect(wait.open.size).toBe(0);
  });

  it("with fail-fast the first failure cancels the other calls, and all are answered", async () => {
    const wait = gated("wait");
    const haft = await Haft.open({ tools: [wait.tool], principal });
    const turn = haft.turn(calls("wait", "a", "b", "c"), { join: "fail-fast", maxConcurrency: 2 });
    await settled();
    wait.open.get("b")?.reject(new Error("no"));
    expect((await turn).map((reply) => reply.failure?.code)).toEqual(["cancelled", "failed", "not_answered"]);
  });

  it("by default a failure does not affect the other calls", async () => {
    const wait = gated("wait");
    const haft = await Haft.open({ tools: [wait.tool], principal });
    const turn = haft.turn(calls("wait", "a", "b"));
    await settled();
    wait.open.get("a")?.reject(new Error("no"));
    await settled();
    wait.open.get("b")?.resolve(2);
    expect((await turn).map((reply) => reply.failure?.code ?? "ok")).toEqual(["failed", "ok"]);
  });

  it.each([
    ["final", () => final("done")],
    ["handoff", () => handoff("other")],
  ])("after a %s, calls that have not started are answered without running", async (kind, end) => {
    let ran = 0;
    const ending = tool({ name: "ending", description: "Ends", input: any, run: end });
    const count = tool({ name: "count", description: "Counts", input: any, run: () => ++ran });
    const haft = await Haft.open({ tools: [ending, count], principal });
    const asked = [...calls("count", "a"), ...calls("ending", "b"), ...calls("count", "c", "d")];
    const replies = await haft.turn(asked, { maxConcurrency: 1 });
    expect(replies.map((reply) => [reply.id, reply.failure?.code ?? reply.flow.kind])).toEqual([
      ["a", "continue"],
      ["b", kind],
      ["c", "not_answered"],
      ["d", "not_answered"],
    ]);
    expect(ran).toBe(1);
    expect(await haft.log()).toHaveLength(4);
  });

  it("calls that run at the same time as a final outcome are answered with their own results", async () => {
    const wait = gated("wait");
    const ending = tool({ name: "ending", description: "Ends", input: any, run: () => final("done") });
    const haft = await Haft.open({ tools: [wait.tool, ending], principal });
    const turn = haft.turn([...calls("wait", "a"), ...calls("ending", "b")]);
    await settled();
    wait.open.get("a")?.resolve("late");
    expect((await turn).map((reply) => reply.value)).toEqual(["late", "done"]);
  });

  it("a duplicate id runs once and gets one reply, and the ledger shows both calls", async () => {
    let ran = 0;
    const count = tool({ name: "count", description: "Counts", input: any, run: () => ++ran });
    const haft = await Haft.open({ tools: [count], principal });
    const replies = await haft.turn(calls("count", "a", "a", "b"));
    expect(replies.map((reply) => [reply.id, reply.value])).toEqual([
      ["a", 1],
      ["b", 2],
    ]);
    expect((await haft.log()).map((entry) => entry.code)).toEqual([undefined, "unreadable_call", undefined]);
  });

  it("a value that is not a call gets a failed reply", async () => {
    const haft = await Haft.open({ principal });
    const replies = await haft.turn([null, 7, {}, { id: 3, tool: [] }] as never);
    expect(replies.map((reply) => reply.failure?.code)).toEqual(Array(4).fill("unreadable_call"));
  });

  it("an empty turn returns an empty list", async () => {
    const haft = await Haft.open({ principal });
    expect(await haft.turn([])).toEqual([]);
  });
});

describe("a promise behind a tool", () => {
  it("does not delay a cancellation, and its late rejection is ignored", async () => {
    const wait = gated("wait");
    const haft = await Haft.open({ tools: [wait.tool], principal });
    const abort = new AbortController();
    const call = haft.call("wait", {}, { signal: abort.signal });
    await settled();
    abort.abort();
    await expect(call).rejects.toMatchObject({ code: "cancelled" });
    for (const { reject } of wait.open.values()) reject(new Error("the wait was abandoned"));
    await settled();
    expect(await haft.log()).toMatchObject([{ ending: "failed", code: "cancelled" }]);
  });
});
