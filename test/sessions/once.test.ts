import { Haft, tool } from "haft";
import { authorize } from "haft/layers";
import { codeMode } from "haft/sandbox";
import { describe, expect, it, onTestFinished } from "vitest";
import { mailCall, newSessionLedger, pageCall, sessionScene } from "../kit/session-scene.ts";

const principal = { agent: "clerk", allow: ["*"] };
const text = { type: "object", properties: { text: { type: "string" } } } as const;

/** A tool that records its effects and can be held. */
const counted = (name = "pay") => {
  const done: string[] = [];
  const started = Promise.withResolvers<void>();
  const held = Promise.withResolvers<void>();
  const made = tool({
    name,
    description: "Takes effect",
    input: text,
    run: async ({ text: mark = "" }) => {
      done.push(mark);
      started.resolve();
      if (mark === "slow") await held.promise;
      return mark;
    },
  });
  return { made, done, started: started.promise, release: held.resolve };
};

const open = async (options: Partial<Parameters<typeof Haft.open>[0]>) => {
  const haft = await Haft.open({ principal, ...options });
  onTestFinished(() => haft.close());
  return haft;
};

describe.each(["memory", "sqlite"] as const)("a call is made once (%s)", (kind) => {
  const ledger = (): string => (kind === "memory" ? "memory" : newSessionLedger());

  it("when a layer first requires approval and then allows the call", async () => {
    const { made, done } = counted();
    let times = 0;
    const wavering = made.layer(authorize(() => (times++ % 3 === 0 ? { kind: "ask" } : { kind: "allow" })));
    const session = (await open({ tools: [wavering], ledger: ledger() })).session();
    for (const id of ["1", "2", "3", "4"]) {
      const call = { id, tool: "pay", input: { text: id } };
      expect(await session.asks(call)).toBeUndefined();
      await session.turn([call]);
      await session.turn([call]);
    }
    expect(done.every((mark, at) => done.indexOf(mark) === at)).toBe(true);
  });

  it("when asks is called while it is running", async () => {
    const { made, done, started, release } = counted();
    const session = (await open({ tools: [made], ledger: ledger() })).session();
    const call = { id: "1", tool: "pay", input: { text: "slow" } };
    const turn = session.turn([call]);
    await started;
    const asking = session.asks(call);
    release();
    await Promise.all([turn, asking]);
    await session.turn([call]);
    expect(done).toEqual(["slow"]);
  });

  it("under one approval request, however many callers request it at once", async () => {
    const { open: scene, sent } = sessionScene();
    const session = (await scene({ ledger: ledger() })).session();
    await session.turn([pageCall("1", "x")]);
    const call = mailCall("2", "ada");
    const [one, other, [turned]] = await Promise.all([
      session.asks(call),
      session.asks(call),
      session.turn([call]),
    ]);
    expect(other?.id).toBe(one?.id);
    expect(turned?.pending?.id).toBe(one?.id);
    expect(await session.pending()).toHaveLength(1);
    await session.answer(one!.id, { kind: "allow" });
    await session.turn([call]);
    expect(sent).toEqual(["ada"]);
  });

  it.each([
    [[{ text: "a" }, '{"text": "a"}', '{"text":"\\u0061"}', ' {"text":"a"}\n']],
    [[{}, "", " ", "{ }", null, undefined]],
  ])("whatever the spelling of its arguments: %j", async (spellings) => {
    const { made, done } = counted();
    const session = (await open({ tools: [made], ledger: ledger() })).session();
    for (const input of spellings) {
      expect((await session.turn([{ id: "1", tool: "pay", input }]))[0]?.ok).toBe(true);
    }
    expect(done).toHaveLength(1);
  });

  it("under an id of thousands of characters", async () => {
    const { made, done } = counted();
    const session = (await open({ tools: [made], ledger: ledger() })).session();
    const call = { id: "x".repeat(5_000), tool: "pay", input: {} };
    for (let times = 0; times < 3; times += 1) await session.turn([call]);
    expect(await session.stands(call)).toBe("settled");
    expect(done).toHaveLength(1);
  });

  it.each(["turn", "asks"] as const)(
    "when %s requests it while its approved run continues",
    async (request) => {
      const { made, done, started, release } = counted();
      const guarded = made.layer(authorize(() => ({ kind: "ask" })));
      const session = (await open({ tools: [guarded], ledger: ledger() })).session();
      const call = { id: "1", tool: "pay", input: { text: "slow" } };
      const [asked] = await session.turn([call]);
      const answered = session.answer(asked!.pending!.id, { kind: "allow" });
      await started;
      const second = request === "turn" ? session.turn([call]) : session.asks(call);
      // A late answer does not wait for the call.
      await expect(session.answer(asked!.pending!.id, { kind: "allow" })).rejects.toMatchObject({
        code: "unknown_approval",
      });
      release();
      expect(await answered).toMatchObject({ ok: true, value: "slow" });
      const result = [expect.objectContaining({ ok: true, value: "slow" })];
      expect(await second).toEqual(request === "turn" ? result : undefined);
      expect(done).toEqual(["slow"]);
    },
  );

  it("and a turn that waits for it also returns the results of its own calls", async () => {
    const { made, done, started, release } = counted();
    const session = (await open({ tools: [made], ledger: ledger() })).session();
    const call = (id: string, mark: string) => ({ id, tool: "pay", input: { text: mark } });
    const first = session.turn([call("1", "slow")]);
    await started;
    const both = session.turn([call("1", "slow"), call("2", "b")]);
    const abort = new AbortController();
    const given = session.turn([call("1", "slow"), call("3", "c")], { signal: abort.signal });
    abort.abort();
    expect((await given).map(({ failure }) => failure?.code)).toEqual(["cancelled", "cancelled"]);
    release();
    expect((await first).map(({ value }) => value)).toEqual(["slow"]);
    expect((await both).map(({ value }) => value)).toEqual(["slow", "b"]);
    expect(done.toSorted()).toEqual(["b", "slow"]);
  });

  it("and another call with the same id receives its own result", async () => {
    const { made } = counted();
    const session = (await open({ tools: [made], ledger: ledger() })).session();
    const call = (mark: string) => ({ id: "1", tool: "pay", input: { text: mark } });
    const [, [reported]] = await Promise.all([
      session.turn([call("one"), call("two")]),
      session.turn([call("two")]),
    ]);
    expect(reported?.ok === false || reported?.value === "two").toBe(true);
  });
});

it("a suspended program is resumed once its approved call has ended", async () => {
  const { made, done, started, release } = counted();
  const guarded = made.layer(authorize(() => ({ kind: "ask" })));
  const session = (await open({ tools: [guarded, codeMode()], ledger: newSessionLedger() })).session();
  const program = (text: string) => {
    const source = `return await tools.pay({ text: "${text}" })`;
    return { id: text, tool: "run-code", input: { source } };
  };
  const [slow, quick] = await session.turn([program("slow"), program("quick")]);
  const answered = session.answer(slow!.pending!.id, { kind: "allow" });
  await started;
  const resumed = session.turn([program("slow")]);
  // The second program runs to its end in the same way. Without the lock the first would have ended before
  // it.
  await session.answer(quick!.pending!.id, { kind: "allow" });
  expect(await session.turn([program("quick")])).toMatchObject([{ ok: true, value: { value: "quick" } }]);
  release();
  expect(await answered).toMatchObject({ ok: true, value: "slow" });
  expect(await resumed).toMatchObject([{ ok: true, value: { value: "slow" } }]);
  expect(done).toEqual(["slow", "quick"]);
});

it("a call that a memory ledger has evicted is not made again", async () => {
  const { made, done } = counted();
  const haft = await open({ tools: [made], config: { ledger: { keep: 10 } } });
  const session = haft.session({ id: "old" });
  const call = { id: "1", tool: "pay", input: {} };
  await session.turn([call]);
  const other = haft.session({ id: "other" });
  for (let id = 0; (await haft.log({ callId: "1" })).length > 0; id += 100) {
    await other.turn(Array.from({ length: 100 }, (_, at) => ({ id: `n${id + at}`, tool: "pay", input: {} })));
  }
  const before = done.length;
  expect((await session.turn([call]))[0]?.failure?.code).toBe("outcome_unknown");
  expect(done).toHaveLength(before);
});

it("a result of a foreign tool with the name of a Haft tool taints like any other", async () => {
  const { open: scene, sent } = sessionScene();
  const session = (await scene()).session();
  await session.note([{ role: "tool", callId: "theirs", tool: "look", content: "…", ok: true }]);
  expect((await session.turn([mailCall("1", "ada")]))[0]?.pending).toBeDefined();
  expect(sent).toEqual([]);
});
