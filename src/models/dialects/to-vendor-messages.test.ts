import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../types/message.ts";
import { toVendorMessages } from "./to-vendor-messages.ts";

const takenId = /^[\w-]{1,10}$/;
const call = (id: string, providerExecuted = false) => ({
  id,
  tool: "find",
  input: "{}",
  ...(providerExecuted ? { providerExecuted } : {}),
});
const reply = (callId: string): Message => ({
  role: "tool",
  callId,
  tool: "find",
  content: callId,
  ok: true,
});
const asked = (...ids: readonly string[]): Message => ({
  role: "assistant",
  content: "",
  calls: ids.map((id) => call(id)),
});

const idsIn = (messages: readonly Message[]) =>
  messages.flatMap((message) => {
    if (message.role === "tool") return [`reply ${message.callId}`];
    return message.role === "assistant" ? (message.calls ?? []).map(({ id }) => id) : [];
  });

describe("toVendorMessages", () => {
  it("keeps ids that the vendor accepts", () => {
    const messages = [asked("a", "b"), reply("a"), reply("b")];
    expect(toVendorMessages(messages, takenId)).toEqual(messages);
  });

  it("replaces rejected and repeated ids in calls and results", () => {
    const reported = toVendorMessages(
      [asked("a", "too long an id"), reply("a"), reply("too long an id"), asked("a"), reply("a")],
      takenId,
    );
    expect(idsIn(reported)).toEqual(["a", "call_1", "reply a", "reply call_1", "call_2", "reply call_2"]);
  });

  it("pairs results by order when a message repeats an id", () => {
    expect(idsIn(toVendorMessages([asked("a", "a"), reply("a"), reply("a")], takenId))).toEqual([
      "a",
      "call_1",
      "reply a",
      "reply call_1",
    ]);
  });

  it("omits provider-executed calls and their results", () => {
    const messages: Message[] = [
      { role: "assistant", content: "x", calls: [call("server", true), call("mine")] },
      reply("server"),
      reply("mine"),
    ];
    expect(idsIn(toVendorMessages(messages, takenId))).toEqual(["mine", "reply mine"]);
  });

  it("keeps one result per call in order for any ids", () => {
    const id = fc.constantFrom("a", "b", "call_1", "call_2", "much too long", "ö");
    fc.assert(
      fc.property(fc.array(fc.array(id, { maxLength: 4 }), { maxLength: 5 }), (turns) => {
        const reported = toVendorMessages(
          turns.flatMap((ids) => [asked(...ids), ...ids.map(reply)]),
          takenId,
        );
        const calls = idsIn(reported).filter((each) => !each.startsWith("reply "));
        const replies = idsIn(reported).filter((each) => each.startsWith("reply "));
        expect(new Set(calls).size).toBe(calls.length);
        expect(calls.every((each) => takenId.test(each))).toBe(true);
        expect(replies).toEqual(calls.map((each) => `reply ${each}`));
      }),
    );
  });
});
