import { Haft, tool } from "haft";
import { describe, expect, it, onTestFinished } from "vitest";
import { mailCall, newSessionLedger, pageCall, sessionScene } from "../kit/session-scene.ts";
import { waitFor } from "../kit/wait-for.ts";

describe("a session that another runtime opens by its id", () => {
  it("keeps its taints, its budget and its answers", async () => {
    const { open, sent } = sessionScene();
    const ledger = newSessionLedger();
    const first = await open({ ledger });
    await first.session({ id: "chat" }).turn([pageCall("1", "x")]);
    const asked = await first.session({ id: "chat" }).asks(mailCall("2", "ada"));
    await first.close();

    const second = await open({ ledger });
    const session = second.session({ id: "chat", budget: { calls: 2 } });
    expect(await session.pending()).toMatchObject([{ id: asked?.id }]);
    expect((await session.turn([mailCall("2", "ada")]))[0]?.pending?.id).toBe(asked?.id);
    await session.answer(asked!.id, { kind: "allow" }, { by: "ada" });
    expect(sent).toEqual(["ada"]);
    expect((await session.turn([mailCall("3", "bob")]))[0]?.failure?.code).toBe("denied");
  });

  it("replays calls of the other runtime, and makes those that never began", async () => {
    const { open, sent, read } = sessionScene();
    const ledger = newSessionLedger();
    const first = await open({ ledger });
    await first.session({ id: "chat" }).turn([mailCall("1", "ada")]);
    const second = await open({ ledger });
    const replies = await second.session({ id: "chat" }).turn([mailCall("1", "ada"), pageCall("2", "x")]);
    expect(replies.map(({ ok }) => ok)).toEqual([true, true]);
    expect([sent, read]).toEqual([["ada"], ["x"]]);
  });

  it("continues a call that was approved meanwhile, without a key for exact texts", async () => {
    const { open, sent } = sessionScene();
    const ledger = newSessionLedger();
    const first = await open({ ledger });
    await first.session({ id: "chat" }).turn([pageCall("1", "x")]);
    const asked = await first.session({ id: "chat" }).asks(mailCall("2", "ada"));
    const second = await open({ ledger });
    const { principal } = second.session({ id: "chat" });
    const kept = await second.as(principal).resume(asked!.id, { kind: "allow" });
    expect(kept.text).toContain('when its session "chat" continues');
    expect(sent).toEqual([]);
    expect((await second.session({ id: "chat" }).turn([mailCall("2", "ada")]))[0]?.ok).toBe(true);
    expect((await first.session({ id: "chat" }).turn([mailCall("2", "ada")]))[0]?.ok).toBe(true);
    expect(sent).toEqual(["ada"]);
  });

  it("keeps its notes", async () => {
    const { open } = sessionScene();
    const ledger = newSessionLedger();
    const first = await open({ ledger });
    await first
      .session({ id: "chat" })
      .note([{ role: "tool", callId: "1", tool: "their_tool", content: "…", ok: true }]);
    await first.close();
    const second = await open({ ledger });
    const [reply] = await second.session({ id: "chat" }).turn([mailCall("1", "ada")]);
    expect(reply?.pending?.reason).toContain("their_tool");
  });
});

describe("two runtimes in one session at the same time", () => {
  const held = () => {
    let release = (): void => {};
    let isInside = false;
    const hold = tool({
      name: "hold",
      description: "Waits until it is let go",
      input: { type: "object" },
      run: () =>
        new Promise((resolve) => {
          isInside = true;
          release = () => resolve("done");
        }),
    });
    return { hold, letGo: () => release(), isInside: () => isInside };
  };
  const open = async (ledger: string, one: ReturnType<typeof held>) => {
    const haft = await Haft.open({ tools: [one.hold], ledger, principal: { agent: "clerk", allow: ["*"] } });
    onTestFinished(() => haft.close());
    return haft;
  };
  const call = { id: "1", tool: "hold", input: {} };

  it("wait for each other, and the first is not disturbed", async () => {
    const scene = held();
    const ledger = newSessionLedger();
    const [a, b] = [await open(ledger, scene), await open(ledger, scene)];
    const first = a.session({ id: "chat" }).turn([call]);
    await waitFor(async () => expect(await scene.isInside()).toBe(true));
    const second = b.session({ id: "chat" }).turn([call]);
    scene.letGo();
    expect((await first)[0]).toMatchObject({ ok: true });
    expect((await second)[0]).toMatchObject({ ok: true, value: "done" });
    expect((await a.log({ ending: "executed" })).length).toBe(1);
  });

  it("fail with still_running after their wait limit, which is recorded, and can retry", async () => {
    const scene = held();
    const ledger = newSessionLedger();
    const [a, b] = [await open(ledger, scene), await open(ledger, scene)];
    const first = a.session({ id: "chat" }).turn([call]);
    await waitFor(async () => expect(await scene.isInside()).toBe(true));
    const session = b.session({ id: "chat", waitMs: 30 });
    expect((await session.turn([call]))[0]?.failure).toMatchObject({ code: "still_running" });
    await expect(session.asks(call)).rejects.toMatchObject({ code: "still_running" });
    await expect(session.end()).rejects.toMatchObject({ code: "still_running" });
    scene.letGo();
    expect((await first)[0]?.ok).toBe(true);
    expect((await session.turn([call]))[0]?.ok).toBe(true);
    const log = await a.log();
    expect(log.map(({ ending, code }) => code ?? ending)).toEqual(["executed", "still_running"]);
  });

  it("stop waiting when their caller aborts", async () => {
    const scene = held();
    const ledger = newSessionLedger();
    const [a, b] = [await open(ledger, scene), await open(ledger, scene)];
    const first = a.session({ id: "chat" }).turn([call]);
    await waitFor(async () => expect(await scene.isInside()).toBe(true));
    const abort = new AbortController();
    const waiting = b.session({ id: "chat" }).turn([call], { signal: abort.signal });
    abort.abort();
    expect((await waiting)[0]?.failure?.code).toBe("cancelled");
    scene.letGo();
    await first;
  });

  it("cannot end the session while its calls are running", async () => {
    const scene = held();
    const haft = await open(newSessionLedger(), scene);
    const session = haft.session({ id: "chat" });
    const first = session.turn([call]);
    await waitFor(async () => expect(await scene.isInside()).toBe(true));
    await expect(session.end()).rejects.toThrow(/has running calls/);
    scene.letGo();
    await first;
    await session.end();
  });
});
