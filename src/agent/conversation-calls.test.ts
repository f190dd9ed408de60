import type { Message, RawCall, Reply } from "haft";
import { describe, expect, it } from "vitest";
import {
  callIdsIn,
  invocationsIn,
  toInvocations,
  toModelCalls,
  toToolMessages,
  withUniqueIds,
} from "./conversation-calls.ts";

const call = (id: string, more: Partial<RawCall> = {}): RawCall => ({
  id,
  tool: "add",
  input: "{}",
  ...more,
});
const reply = (id: string, more: Partial<Reply> = {}): Reply =>
  ({ id, ok: true, text: "3", value: 3, flow: { kind: "continue" }, ...more }) as Reply;
const asked = (calls: readonly RawCall[], taken: readonly string[] = []) => {
  let made = 0;
  return withUniqueIds(calls, new Set(taken), () => `new-${++made}`);
};

describe("calls of a model", () => {
  it("keep a unique id that every provider accepts, and get a new id otherwise", () => {
    const odd = ["", "a b", "naïve", "tab\t", "x".repeat(201)];
    const plain = ["a", "~!", "x".repeat(200)];
    expect(asked(odd.map((id) => call(id))).calls.map(({ id }) => id)).toEqual(
      odd.map((_, index) => `new-${index + 1}`),
    );
    expect(asked(plain.map((id) => call(id))).calls.map(({ id }) => id)).toEqual(plain);
    expect(asked([call("a")], ["a", "new-1"]).calls).toMatchObject([{ id: "new-2", index: 0 }]);
  });

  it("are declined under a new id when their id repeats in one message", () => {
    const { calls, executable, repeated } = asked([call("a"), call("b"), call("a", { tool: "" })]);
    expect(calls).toEqual([
      call("a", { index: 0 }),
      call("b", { index: 1 }),
      call("new-1", { index: 2, tool: "unnamed_tool", repeats: "a" }),
    ]);
    expect(executable.map(({ id }) => id)).toEqual(["a", "b", "a"]);
    expect([...repeated]).toEqual(["new-1"]);
    const again = toModelCalls(calls);
    expect(again.executable.map(({ id }) => id)).toEqual(["a", "b"]);
    expect([...again.repeated]).toEqual(["new-1"]);
  });

  it("are not made when the provider has executed them", () => {
    const { calls, executable, repeated } = asked([call("a", { providerExecuted: true }), call("a")]);
    expect(calls).toMatchObject([{ id: "a", providerExecuted: true }, { id: "new-1" }]);
    expect(executable.map(({ id }) => id)).toEqual(["new-1"]);
    expect(repeated.size).toBe(0);
    expect(toModelCalls(calls).executable.map(({ id }) => id)).toEqual(["new-1"]);
  });
});

describe("tool messages", () => {
  it("come in the order of the calls", () => {
    const reported = toToolMessages(asked([call("a"), call("b"), call("a")]), [
      reply("b", { text: "no", ok: false }),
      reply("a"),
    ]);
    expect(reported).toEqual([
      { role: "tool", callId: "a", tool: "add", content: "3", ok: true },
      { role: "tool", callId: "b", tool: "add", content: "no", ok: false },
      {
        role: "tool",
        callId: "new-1",
        tool: "add",
        content: "Error: Another call in this turn has the same id. See the reply to that call.",
        ok: false,
      },
    ]);
    expect(toToolMessages(asked([call("a"), call("b")]), [reply("b")])).toMatchObject([{ callId: "b" }]);
  });

  it("have pending, flow and taints only when the reply has them", () => {
    const reported = (more: object) => toToolMessages(asked([call("a")]), [reply("a", more)])[0];
    const plain = { role: "tool", callId: "a", tool: "add", content: "3", ok: true };
    expect(reported({})).toStrictEqual(plain);
    expect(reported({ pending: { id: "approval-1" } })).toStrictEqual({ ...plain, pending: "approval-1" });
    expect(reported({ flow: { kind: "final" } })).toStrictEqual({ ...plain, flow: { kind: "final" } });
    const flow = { kind: "handoff", agent: "expert" };
    expect(reported({ flow })).toStrictEqual({ ...plain, flow });
    expect(reported({ taints: ["web"] })).toStrictEqual({ ...plain, taints: ["web"] });
  });
});

describe("invocations of a run", () => {
  const common = { name: "add", agent: "helper" };

  it("have the arguments and the result or error of each call", () => {
    const calls = [
      call("a", { input: '{"n":1}' }),
      call("b", { input: "{broken" }),
      call("c", { input: { n: 2 } }),
      call("d", { input: [1] }),
    ];
    expect(
      toInvocations("helper", asked(calls), [
        reply("a"),
        reply("b", { ok: false, text: "Error: broken", value: undefined }),
        reply("c", { value: { sum: 2 } }),
        reply("d", { ok: false, text: "Error: no object", value: undefined }),
        reply("stranger"),
      ]),
    ).toEqual([
      { ...common, callId: "a", arguments: { n: 1 }, ok: true, result: 3 },
      { ...common, callId: "b", arguments: "{broken", ok: false, error: "Error: broken" },
      { ...common, callId: "c", arguments: { n: 2 }, ok: true, result: { sum: 2 } },
      { ...common, callId: "d", arguments: [1], ok: false, error: "Error: no object" },
    ]);
  });

  it("are read from a resumed conversation, each answered call once", () => {
    const calls = [call("a"), call("b"), call("c"), call("d", { repeats: "a" })];
    const reported = (callId: string, content: string, ok: boolean): Message => ({
      role: "tool",
      callId,
      tool: "add",
      content,
      ok,
    });
    const messages: readonly Message[] = [
      { role: "user", content: "Go" },
      { role: "assistant", content: "", calls, agent: "helper" },
      reported("a", '{"sum":3}', true),
      reported("b", "Error: no", false),
      reported("d", "Error: the same", false),
      { role: "assistant", content: "Well." },
      { role: "assistant", content: "", calls: [call("e")] },
      reported("e", "plain words", true),
    ];
    expect(invocationsIn(messages)).toEqual([
      { ...common, callId: "a", arguments: {}, ok: true, result: { sum: 3 } },
      { ...common, callId: "b", arguments: {}, ok: false, error: "Error: no" },
      { ...common, agent: "", callId: "e", arguments: {}, ok: true, result: "plain words" },
    ]);
    expect([...callIdsIn(messages)]).toEqual(["a", "b", "c", "d", "e"]);
  });
});
