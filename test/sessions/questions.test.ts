import { describe, expect, it } from "vitest";
import { mailCall, newSessionLedger, pageCall, sessionScene } from "../kit/session-scene.ts";

describe("session.asks", () => {
  it("returns nothing for a call that may run, and neither runs nor records it", async () => {
    const { open, sent } = sessionScene();
    const haft = await open();
    const session = haft.session();
    expect(await session.asks(mailCall("1", "ada"))).toBeUndefined();
    expect(await session.asks({ id: "2", tool: "nobody", input: {} })).toBeUndefined();
    expect(await session.asks({ id: "3", tool: "send_mail", input: { to: 1 } })).toBeUndefined();
    expect(await haft.log()).toEqual([]);
    expect(sent).toEqual([]);
  });

  it("records the approval request once, and the call is then pending under it", async () => {
    const { open, sent } = sessionScene();
    const session = (await open()).session();
    await session.turn([pageCall("1", "x")]);
    const asked = await session.asks(mailCall("2", "ada"));
    expect(await session.asks(mailCall("2", "ada"))).toMatchObject({ id: asked?.id });
    expect((await session.turn([mailCall("2", "ada")]))[0]?.pending?.id).toBe(asked?.id);
    expect(await session.pending()).toMatchObject([
      { id: asked?.id, status: "waiting", input: { to: "ada" } },
    ]);
    expect(sent).toEqual([]);
  });

  it("returns nothing for a call that was answered, whatever the answer", async () => {
    const { open, sent } = sessionScene();
    const session = (await open()).session();
    await session.turn([pageCall("1", "x")]);
    const yes = await session.asks(mailCall("2", "ada"));
    const no = await session.asks(mailCall("3", "bob"));
    await session.answer(yes!.id, { kind: "allow" });
    await session.answer(no!.id, { kind: "deny" });
    expect(await session.asks(mailCall("2", "ada"))).toBeUndefined();
    expect(await session.asks(mailCall("3", "bob"))).toBeUndefined();
    expect(sent).toEqual(["ada"]);
  });

  it("leaves the request to an approver if there is one", async () => {
    const { open, sent } = sessionScene();
    const session = (await open({ approver: () => ({ kind: "allow" }) })).session();
    await session.turn([pageCall("1", "x")]);
    expect(await session.asks(mailCall("2", "ada"))).toBeUndefined();
    expect((await session.turn([mailCall("2", "ada")]))[0]?.ok).toBe(true);
    expect(sent).toEqual(["ada"]);
  });
});

describe("an answer", () => {
  it("makes the call once, and records who gave it", async () => {
    const { open, sent } = sessionScene();
    const haft = await open();
    const session = haft.session({ id: "chat" });
    await session.turn([pageCall("1", "x")]);
    const asked = await session.asks(mailCall("2", "ada"));
    expect(await session.answer(asked!.id, { kind: "allow" }, { by: "boss" })).toMatchObject({ ok: true });
    await expect(session.answer(asked!.id, { kind: "allow" })).rejects.toMatchObject({
      code: "unknown_approval",
    });
    expect(await haft.as(session.principal).approvals()).toMatchObject([
      { status: "used", answeredBy: "boss" },
    ]);
    expect(sent).toEqual(["ada"]);
  });

  it("can change the arguments, which are validated", async () => {
    const { open, sent } = sessionScene();
    const session = (await open()).session();
    await session.turn([pageCall("1", "x")]);
    const asked = await session.asks(mailCall("2", "eve"));
    await session.answer(asked!.id, { kind: "edit", input: { to: "ada" } });
    expect(sent).toEqual(["ada"]);
    // For the loop it is the call that it requested.
    expect((await session.turn([mailCall("2", "eve")]))[0]).toMatchObject({
      ok: true,
      value: { sent: "ada" },
    });
    expect(sent).toEqual(["ada"]);
  });

  it("to a request of another session, user, tenant or agent is refused", async () => {
    const { open, sent } = sessionScene();
    const haft = await open();
    const principal = { agent: "clerk", user: "ada", tenant: "acme", allow: ["*"] };
    const session = haft.session({ id: "chat", principal });
    await session.turn([pageCall("1", "x")]);
    const asked = await session.asks(mailCall("2", "ada"));
    const others = [
      haft.session({ id: "other", principal }),
      haft.session({ id: "chat", principal: { ...principal, user: "eve" } }),
      haft.session({ id: "chat", principal: { ...principal, tenant: "evil" } }),
      haft.session({ id: "chat", principal: { ...principal, agent: "other" } }),
      haft.session({ id: "chat", principal, agent: "helper" }),
    ];
    for (const other of others) {
      expect(await other.pending()).toEqual([]);
      await expect(other.answer(asked!.id, { kind: "allow" })).rejects.toMatchObject({
        code: "unknown_approval",
      });
      expect((await other.turn([mailCall("2", "ada")]))[0]?.ok).toBe(true);
    }
    expect(sent).toHaveLength(others.length);
    expect(await session.pending()).toHaveLength(1);
  });
});

describe("a session that has ended", () => {
  it.each(["memory", "sqlite"])("accepts no turn, and its pending calls are void (%s)", async (kind) => {
    const { open, sent } = sessionScene();
    const haft = await open({ ledger: kind === "memory" ? "memory" : newSessionLedger() });
    const session = haft.session({ id: "chat" });
    await session.turn([pageCall("1", "x")]);
    const asked = await session.asks(mailCall("2", "ada"));
    await session.end();
    expect((await session.turn([mailCall("3", "bob")]))[0]?.failure).toMatchObject({
      code: "not_answered",
      message: expect.stringContaining("has ended"),
    });
    await expect(haft.as(session.principal).resume(asked!.id, { kind: "allow" })).rejects.toMatchObject({
      code: "unknown_approval",
    });
    await expect(session.end()).rejects.toThrow(/has ended/);
    expect(await haft.log({ ending: "pending" })).toEqual([]);
    expect(sent).toEqual([]);
  });
});

describe("a call for which asks found no reason for approval", () => {
  it("is made even if another call of the same message has read untrusted content since", async () => {
    const { open, sent } = sessionScene();
    const session = (await open()).session();
    expect(await session.asks(mailCall("1", "ada"))).toBeUndefined();
    await session.turn([pageCall("2", "x")]);
    expect((await session.turn([mailCall("1", "ada")]))[0]?.ok).toBe(true);
    expect(sent).toEqual(["ada"]);
  });

  it("is another call with other arguments, which untrusted content may have chosen", async () => {
    const { open, sent } = sessionScene();
    const session = (await open()).session();
    expect(await session.asks(mailCall("1", "ada"))).toBeUndefined();
    await session.turn([pageCall("2", "x")]);
    expect((await session.turn([mailCall("1", "mallory")]))[0]?.pending).toBeDefined();
    expect((await session.turn([mailCall("3", "ada")]))[0]?.pending).toBeDefined();
    expect(sent).toEqual([]);
  });

  it("is still checked against the budget when it is made", async () => {
    const { open } = sessionScene();
    const session = (await open()).session({ budget: { calls: 1 } });
    expect(await session.asks(mailCall("1", "ada"))).toBeUndefined();
    await session.turn([pageCall("2", "x")]);
    expect((await session.turn([mailCall("1", "ada")]))[0]?.failure?.code).toBe("denied");
  });
});
