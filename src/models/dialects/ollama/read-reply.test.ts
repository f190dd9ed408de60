import fc from "fast-check";
import { expect, test } from "vitest";
import { ModelError } from "../../../types/errors.ts";
import { ollamaReader } from "./read-reply.ts";

const done = { message: { role: "assistant", content: "" }, done: true };

const replyTo = (...events: readonly unknown[]) => {
  const reader = ollamaReader("ollama/test", []);
  for (const event of events) reader.push(event);
  return reader.reply();
};

test("a reply without a reason or usage has finish stop and zero tokens", () => {
  expect(replyTo({ ...done, message: { content: "Hi" } })).toStrictEqual({
    text: "Hi",
    calls: [],
    usage: { inputTokens: 0, outputTokens: 0 },
    finish: "stop",
  });
});

test("unknown reasons have finish other", () => {
  expect(replyTo({ ...done, done_reason: "unload" }).finish).toBe("other");
});

test("argument objects are not copied", () => {
  const args = { city: "Oslo", days: [1, 2] };
  const message = { content: "", tool_calls: [{ function: { name: "work", arguments: args } }] };
  const { calls, finish } = replyTo({ ...done, message, done_reason: "stop" });
  expect(calls[0]?.input).toBe(args);
  expect(finish).toBe("calls");
});

test("generated ids continue those of the conversation", () => {
  const calls = [{ id: "ollama_call_4", tool: "work", input: {} }];
  const reader = ollamaReader("ollama/test", [{ role: "assistant", content: "", calls }]);
  const tool_calls = [{ function: { name: "work", arguments: {} } }, { id: "", function: { name: "work" } }];
  reader.push({ ...done, message: { tool_calls } });
  expect(reader.reply().calls.map(({ id }) => id)).toStrictEqual(["ollama_call_5", "ollama_call_6"]);
});

test("events of any shape give a reply or a ModelError", () => {
  const message = fc.record(
    {
      content: fc.anything(),
      thinking: fc.anything(),
      tool_calls: fc.oneof(fc.array(fc.anything()), fc.anything()),
    },
    { requiredKeys: [] },
  );
  const event = fc.oneof(
    fc.anything(),
    fc.record({ message, done: fc.boolean(), done_reason: fc.anything(), eval_count: fc.anything() }),
  );
  fc.assert(
    fc.property(fc.array(event), (events) => {
      try {
        expect(typeof replyTo(...events).text).toBe("string");
      } catch (error) {
        expect(error).toBeInstanceOf(ModelError);
      }
    }),
  );
});
