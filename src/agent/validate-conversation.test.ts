import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { randomConversation } from "../../test/kit/random-conversation.ts";
import type { Message } from "../types/message.ts";
import { validateConversation } from "./validate-conversation.ts";
import { violations } from "./violations.ts";

const codes = (messages: readonly unknown[]): readonly string[] => [
  ...new Set(validateConversation(messages as readonly Message[]).map(({ code }) => code)),
];

it("accepts random valid conversations", () => {
  fc.assert(
    fc.property(randomConversation, (messages) => {
      expect(validateConversation(messages)).toEqual([]);
    }),
    { numRuns: 500 },
  );
});

describe("arbitrary data", () => {
  it("gives violations and never throws for any JSON", () => {
    fc.assert(
      fc.property(fc.jsonValue(), (value) => {
        expect(Array.isArray(validateConversation(value as never))).toBe(true);
      }),
    );
  });

  it("gives violations and never throws for arbitrary fields", () => {
    const field = fc.oneof(fc.anything(), fc.constantFrom("system", "user", "assistant", "tool", "a", ""));
    const call = fc.oneof(
      fc.anything(),
      fc.record({ id: field, tool: field, providerExecuted: field }, { requiredKeys: [] }),
    );
    const message = fc.record(
      {
        role: field,
        content: field,
        calls: fc.oneof(field, fc.array(call)),
        callId: field,
        tool: field,
        ok: field,
        pending: field,
      },
      { requiredKeys: [] },
    );
    fc.assert(
      fc.property(fc.array(message), (messages) => {
        for (const violation of validateConversation(messages as never)) {
          expect(violations[violation.code]).toBeTypeOf("string");
          expect(messages).toHaveProperty([violation.index]);
          expect(JSON.parse(JSON.stringify(violation))).toEqual(violation);
        }
      }),
      { numRuns: 1_000 },
    );
  });

  it("gives not_a_conversation for null", () => {
    expect(codes(null as never)).toEqual(["not_a_conversation"]);
  });
});

it("reports violations in the order of the messages with a remedy", () => {
  const call = (id: string) => ({ id, tool: "add", input: "{}" });
  const reply = (callId: string): Message => ({ role: "tool", callId, tool: "add", content: "3", ok: true });
  const found = validateConversation([
    { role: "assistant", content: "", calls: [call("a"), call("b"), call("c")] },
    reply("b"),
    { role: "user", content: "hm" },
    reply("a"),
    reply("z".repeat(100)),
  ]);
  expect(found.map(({ code, index, callId }) => [code, index, callId?.slice(0, 1)])).toEqual([
    ["missing_reply", 0, "c"],
    ["interrupted_replies", 2, "a"],
    ["out_of_order_reply", 3, "a"],
    ["unknown_reply", 4, "z"],
  ]);
  expect(found[0]?.message).toBe(
    'Call 2 of message 0 has no reply; a tool message for "c" must follow that message.',
  );
  expect(found[3]?.message.length).toBeLessThan(150);
});

it("reports messages between calls and replies once, at the first one", () => {
  const calls = ["a", "b"].map((id) => ({ id, tool: "add", input: "{}" }));
  const replies = calls.map(
    ({ id }): Message => ({ role: "tool", callId: id, tool: "add", content: "", ok: true }),
  );
  const said: Message = { role: "user", content: "hm" };
  const found = validateConversation([{ role: "assistant", content: "", calls }, said, said, ...replies]);
  expect(found.map(({ code, index }) => [code, index])).toEqual([["interrupted_replies", 1]]);
});

it("does not report empty ids as duplicates", () => {
  const calls = ["", ""].map((id) => ({ id, tool: "add", input: "{}", providerExecuted: true }));
  expect(codes([{ role: "assistant", content: "", calls }])).toEqual(["empty_call_id"]);
});

it("names a field of the wrong type and the type that it takes", () => {
  const spoken = (message: object) => validateConversation([message as Message]);
  expect(spoken({ role: "assistant", content: "Hm", calls: "add" })).toMatchObject([
    { code: "wrong_field", index: 0, message: 'Message 0 needs a list of calls as its calls, not "add".' },
  ]);
  expect(spoken({ role: "user", content: "Hm", calls: "add" })).toEqual([]);
  const calls = [{ id: "a", tool: 5, input: "{}", providerExecuted: true }];
  expect(spoken({ role: "assistant", content: "", calls })).toMatchObject([
    { code: "empty_tool_name", callId: "a", message: "Call 0 of message 0 names no tool." },
  ]);
});

it("accepts a pending call as answered", () => {
  const waiting: Message = {
    role: "tool",
    callId: "a",
    tool: "pay",
    content: "waits",
    ok: false,
    pending: "approval-1",
  };
  expect(
    codes([{ role: "assistant", content: "", calls: [{ id: "a", tool: "pay", input: {} }] }, waiting]),
  ).toEqual([]);
});

it("checks 200,000 calls with repeated ids within the test timeout", () => {
  const calls = Array.from({ length: 200_000 }, (_, n) => ({ id: `same-${n % 3}`, tool: "t", input: "" }));
  const replies = calls.map(
    ({ id }): Message => ({ role: "tool", callId: id, tool: "t", content: "", ok: true }),
  );
  expect(codes([{ role: "assistant", content: "", calls }, ...replies])).toEqual(["duplicate_call_id"]);
  expect(codes([{ role: "assistant", content: "", calls }])).toEqual(["duplicate_call_id", "missing_reply"]);
});
