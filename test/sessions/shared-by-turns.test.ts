import { describe, expect, it } from "vitest";
import { mailCall, newSessionLedger, pageCall, sessionScene } from "../kit/session-scene.ts";

describe("the turns of one session", () => {
  it("share taints: after a web page was read, a mail is pending, in another turn too", async () => {
    const { open, sent } = sessionScene();
    const session = (await open()).session({ id: "chat" });
    await session.turn([pageCall("1", "a")]);
    const [reply] = await session.turn([mailCall("2", "ada")]);
    expect(reply?.pending?.reason).toContain("read_page");
    expect(sent).toEqual([]);
  });

  it("share taints through every handle with the same id, and with no other session", async () => {
    const { open, sent } = sessionScene();
    const haft = await open();
    await haft.session({ id: "one" }).turn([pageCall("1", "a")]);
    expect((await haft.session({ id: "one" }).turn([mailCall("2", "ada")]))[0]?.pending).toBeDefined();
    expect((await haft.session({ id: "other" }).turn([mailCall("2", "ada")]))[0]?.ok).toBe(true);
    expect(sent).toEqual(["ada"]);
  });

  it("share a budget of calls, which calls of one turn cannot exceed together", async () => {
    const { open, sent } = sessionScene();
    const session = (await open()).session({ id: "chat", budget: { calls: 3 } });
    await session.turn([mailCall("1", "a")]);
    const replies = await session.turn(["2", "3", "4", "5"].map((id) => mailCall(id, id)));
    expect(replies.map(({ failure }) => failure?.code)).toEqual([undefined, undefined, "denied", "denied"]);
    expect(sent).toEqual(["a", "2", "3"]);
  });

  it("share a budget of cost, and calls without a maximum cost run one after another", async () => {
    const { open } = sessionScene();
    const session = (await open()).session({ id: "chat", budget: { cost: 10 } });
    const pay = (id: string) => ({ id, tool: "pay", input: { amount: 6 } });
    const replies = await session.turn([pay("1"), pay("2"), pay("3")]);
    expect(replies.map(({ ok }) => ok)).toEqual([true, true, false]);
  });

  it("count against the budget of the handle that makes them, including earlier calls", async () => {
    const { open } = sessionScene();
    const haft = await open();
    await haft.session({ id: "chat" }).turn([mailCall("1", "a"), mailCall("2", "b")]);
    const [reply] = await haft.session({ id: "chat", budget: { calls: 2 } }).turn([mailCall("3", "c")]);
    expect(reply?.failure?.code).toBe("denied");
  });

  it("share a session grant until there is a new reason for approval", async () => {
    const { open, sent } = sessionScene();
    const haft = await open({
      policy: {
        rules: [
          { id: "r", effect: "approve", tools: ["send_mail"] },
          { id: "a", effect: "allow", tools: ["*"] },
        ],
      },
    });
    const session = haft.session({ id: "chat" });
    const [asked] = await session.turn([mailCall("1", "a")]);
    await session.answer(asked!.pending!.id, { kind: "allow", always: "session" }, { by: "ada" });
    expect((await session.turn([mailCall("2", "b")]))[0]?.ok).toBe(true);
    expect((await haft.session({ id: "other" }).turn([mailCall("2", "x")]))[0]?.pending).toBeDefined();
    await session.turn([pageCall("3", "a")]);
    expect((await session.turn([mailCall("4", "c")]))[0]?.pending).toBeDefined();
    expect(sent).toEqual(["a", "b"]);
  });

  it("belong to one run in the ledger", async () => {
    const { open } = sessionScene();
    const haft = await open();
    const session = haft.session({ id: "chat" });
    await session.turn([pageCall("1", "a"), pageCall("2", "b")]);
    await session.turn([mailCall("3", "ada")]);
    const log = await haft.log();
    expect(log).toHaveLength(3);
    expect(new Set(log.map(({ runId }) => runId)).size).toBe(1);
    expect(log.every(({ session: id }) => id === "chat")).toBe(true);
  });

  it("are tainted by foreign tool results that are noted", async () => {
    const { open } = sessionScene();
    const haft = await open();
    const session = haft.session({ id: "chat" });
    const tool = (name: string) =>
      ({ role: "tool", callId: "1", tool: name, content: "…", ok: true }) as const;
    await session.turn([{ id: "1", tool: "look", input: {} }]);
    await session.note([{ role: "user", content: "Hello" }, tool("look")]);
    expect((await session.turn([mailCall("1", "a")]))[0]?.ok).toBe(true);
    await session.note([tool("somebody_elses_tool")]);
    const [reply] = await session.turn([mailCall("2", "b")]);
    expect(reply?.pending?.reason).toContain("somebody_elses_tool");
    const notes = (await haft.log()).filter(({ tool: name }) => name === "session:note");
    expect(notes).toMatchObject([{ ending: "executed", taints: ["somebody_elses_tool"], session: "chat" }]);
  });
});

describe("a session", () => {
  it("is part of its principal, so that a call of that principal belongs to it in the log and in approvals", async () => {
    const { open } = sessionScene();
    const haft = await open();
    const { principal, id } = haft.session({ id: "chat" });
    expect(principal).toMatchObject({ agent: "clerk", session: "chat" });
    expect(haft.as(principal).session().id).toBe(id);
  });

  it("returns its tools as copies that may be changed", async () => {
    const { open } = sessionScene();
    const session = (await open()).session();
    const [first] = session.tools("mcp");
    Object.assign(first!.inputSchema as object, { additionalProperties: false });
    expect(session.tools("mcp")[0]?.inputSchema).not.toHaveProperty("additionalProperties");
  });

  it("offers the tools that its own principal may see", async () => {
    const { open } = sessionScene();
    const haft = await open();
    const names = (allow: readonly string[]) =>
      haft
        .session({ principal: { agent: "clerk", allow } })
        .tools("mcp")
        .map(({ name }) => name);
    expect(names(["read_*"])).toEqual(["read_page"]);
    expect(names([])).toEqual([]);
  });

  it("under another agent's name has no more rights than its principal", async () => {
    const { open, sent } = sessionScene();
    const haft = await open({ principal: { agent: "clerk", allow: ["read_page"] } });
    const [reply] = await haft.session({ agent: "helper" }).turn([mailCall("1", "a")]);
    expect(reply?.failure?.code).toBe("not_visible");
    expect(sent).toEqual([]);
  });

  it.each([
    [{ id: "" }, /`id` is a text/],
    [{ id: "a\nb" }, /`id` is a text/],
    [{ id: "x".repeat(201) }, /`id` is a text/],
    [{ budget: { calls: -1 } }, /budget.calls/],
    [{ budget: { calls: 1.5 } }, /budget.calls/],
    [{ budget: { tokens: 3 } }, /tokens/],
    [{ waitMs: Number.NaN }, /waitMs/],
    [{ agent: "" }, /agent/],
    [{ sessionId: "x" }, /sessionId/],
  ])("opened with %j is refused with the reason", async (options, why) => {
    const { open } = sessionScene();
    const haft = await open();
    expect(() => haft.session(options as never)).toThrow(why);
  });

  it("without a principal is refused", async () => {
    const { open } = sessionScene();
    const haft = await open({ principal: undefined as never });
    expect(() => haft.session({ id: "x" })).toThrow(/needs a principal/);
  });

  it("rejects an invalid list of calls and invalid options with the reason", async () => {
    const { open } = sessionScene();
    const session = (await open()).session();
    await expect(session.turn({} as never)).rejects.toThrow(/list of calls/);
    await expect(session.turn([], { layers: [] } as never)).rejects.toThrow(/layers/);
    await expect(session.turn([], { signal: true } as never)).rejects.toThrow(/AbortSignal/);
    await expect(session.turn([], null as never)).rejects.toThrow(/object of options/);
    await expect(session.turn([], { onProgress: 3 as never })).rejects.toThrow(/onProgress/);
    await expect(session.note("hello" as never)).rejects.toThrow(/list of messages/);
    await expect(session.note([null as never])).rejects.toThrow(/list of messages/);
    await expect(session.note([{ role: "function" } as never])).rejects.toThrow(/list of messages/);
    await expect(session.answer("x", { kind: "deny", reason: 5 as never })).rejects.toMatchObject({
      code: "unreadable_decision",
    });
  });
});

describe("calls of one message that a framework makes one by one", () => {
  it("do not taint each other, in whatever order they end", async () => {
    const { open, sent } = sessionScene();
    const session = (await open({ ledger: newSessionLedger() })).session();
    await session.turn([mailCall("0", "first")]);
    const replies = await Promise.all([
      session.turn([pageCall("1", "x")]),
      session.turn([mailCall("2", "ada")]),
      session.turn([pageCall("3", "y")]),
    ]);
    expect(replies.flat().map(({ ok }) => ok)).toEqual([true, true, true]);
    expect(sent).toEqual(["first", "ada"]);
    expect((await session.turn([mailCall("4", "bob")]))[0]?.pending).toBeDefined();
  });
});
