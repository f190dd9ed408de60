import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelError } from "../../../types/errors.ts";
import type { Message } from "../../../types/message.ts";
import { geminiReader } from "./read-reply.ts";
import { toContents } from "./to-contents.ts";

const chunk = (parts: readonly unknown[], finishReason?: string) => ({
  candidates: [
    { content: { role: "model", parts }, ...(finishReason === undefined ? {} : { finishReason }) },
  ],
});

const replyTo = (events: readonly unknown[], messages: readonly Message[] = []) => {
  const reader = geminiReader("gemini/test", messages);
  for (const event of events) reader.push(event);
  return reader.reply();
};

const work = (args?: object, more: object = {}) => ({
  functionCall: { name: "work", ...(args === undefined ? {} : { args }) },
  ...more,
});

test("calls without ids get generated ids that continue those of the conversation", () => {
  const calls = [{ id: "gemini_call_2", tool: "work", input: {} }];
  const reply = replyTo(
    [chunk([work({ a: 1 }), work()], "STOP")],
    [{ role: "assistant", content: "", calls }],
  );
  expect(reply.finish).toBe("calls");
  expect(reply.calls.map(({ id, input }) => [id, input])).toStrictEqual([
    ["gemini_call_3", { a: 1 }],
    ["gemini_call_4", {}],
  ]);
  expect(reply.echo).toBeUndefined();
});

test("a signature on an empty last part stays separate from the text before it and is sent back", () => {
  const last = { text: "", thoughtSignature: "c2ln" };
  const events = [
    chunk([{ text: "Hm.", thought: true }]),
    chunk([{ text: "H" }, { text: "i" }]),
    chunk([last], "STOP"),
  ];
  const { echo, text } = replyTo(events);
  expect(text).toBe("Hi");
  const parts = [{ text: "Hi" }, last];
  expect(echo).toStrictEqual({ wire: "gemini", data: { parts } });
  const { contents } = toContents([{ role: "assistant", content: text, echo: echo! }]);
  expect(contents).toStrictEqual([{ role: "model", parts }]);
});

test("code that the provider ran is sent back and is not part of the text", () => {
  const code = { executableCode: { language: "PYTHON", code: "1+1" } };
  const reply = replyTo([chunk([code, { text: "2" }], "STOP")]);
  expect(reply).toMatchObject({ text: "2", calls: [], echo: { data: { parts: [code, { text: "2" }] } } });
});

test("a call with arguments in parts leaves no echo", () => {
  const pieces = [
    { functionCall: { name: "work", willContinue: true }, thoughtSignature: "c2ln" },
    { functionCall: { partialArgs: [{ jsonPath: "$.a", numberValue: 1 }], willContinue: false } },
  ];
  const reply = replyTo([chunk(pieces.slice(0, 1)), chunk(pieces.slice(1), "STOP")]);
  expect(reply.calls).toMatchObject([{ tool: "work", input: { a: 1 }, finish: "complete" }]);
  expect(reply.echo).toBeUndefined();
});

test("the last chunk with usage determines the usage", () => {
  const counted = (usageMetadata: object) => ({ ...chunk([{ text: "a" }]), usageMetadata });
  const first = counted({ promptTokenCount: 5, candidatesTokenCount: 1 });
  const second = counted({ promptTokenCount: 5, candidatesTokenCount: 2, toolUsePromptTokenCount: 3 });
  expect(replyTo([first, second, chunk([], "STOP")]).usage).toStrictEqual({
    inputTokens: 8,
    outputTokens: 2,
  });
});

test.each(["MALFORMED_FUNCTION_CALL", "UNEXPECTED_TOOL_CALL", "MALFORMED_RESPONSE"])(
  "a reply that ends with %s fails with a ModelError",
  (reason) => {
    expect(() => replyTo([chunk([], reason)])).toThrow(reason);
    expect(() => replyTo([chunk([], reason)])).toThrow(ModelError);
  },
);

test("events of any shape give a reply or a ModelError", () => {
  const part = fc.oneof(
    fc.anything(),
    fc.record({ functionCall: fc.anything(), text: fc.anything(), thought: fc.anything() }),
  );
  const candidate = fc.record({
    content: fc.oneof(fc.anything(), fc.record({ parts: fc.array(part) })),
    finishReason: fc.anything(),
  });
  const event = fc.oneof(
    fc.anything(),
    fc.record({
      candidates: fc.array(candidate),
      promptFeedback: fc.anything(),
      usageMetadata: fc.anything(),
    }),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      try {
        expect(typeof replyTo(events).text).toBe("string");
      } catch (error) {
        expect(error).toBeInstanceOf(ModelError);
      }
    }),
  );
});

test("the candidate with the lowest index is the reply, whatever its position", () => {
  const candidate = (index: number, text: string) => ({
    index,
    content: { role: "model", parts: [{ text }, work({ index })] },
    finishReason: "STOP",
  });
  const both = { candidates: [candidate(1, "second"), candidate(0, "first")] };
  expect(replyTo([both])).toMatchObject({ text: "first", calls: [{ input: { index: 0 } }] });
  const apart = [{ candidates: [candidate(1, "second")] }, { candidates: [candidate(0, "first")] }];
  expect(replyTo(apart)).toMatchObject({ text: "first", calls: [{ input: { index: 0 } }] });
});

test.each(["SAFETY", "BLOCKLIST", "PROHIBITED_CONTENT", "SPII", "RECITATION", "MODEL_ARMOR"])(
  "a reply that ends with %s has finish filter",
  (reason) => {
    expect(replyTo([chunk([{ text: "He" }], reason)])).toMatchObject({ text: "He", finish: "filter" });
  },
);
