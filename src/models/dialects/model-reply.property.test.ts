import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../types/message.ts";
import { anthropicReplyCollector, readAnthropicReply } from "./anthropic/read-reply.ts";
import { toAnthropicMessages } from "./anthropic/to-anthropic-messages.ts";
import type { ReplyCollector } from "./model-reply.ts";
import { openAIReplyCollector, readOpenAIReply } from "./openai/read-reply.ts";
import { readResponsesReply, responsesReplyCollector } from "./openai/read-responses-reply.ts";
import { toResponsesInput } from "./openai/to-responses-input.ts";

const wires = [
  ["openai-chat", (body: unknown) => readOpenAIReply(body, []), () => openAIReplyCollector([])],
  ["openai-responses", (body: unknown) => readResponsesReply(body, []), () => responsesReplyCollector([])],
  ["anthropic", readAnthropicReply, anthropicReplyCollector],
] as const;

const words = [
  ...[
    "type",
    "choices",
    "message",
    "delta",
    "content",
    "text",
    "role",
    "finish_reason",
    "usage",
    "index",
    "id",
  ],
  ...["output", "item", "status", "response", "tool_calls", "function", "name", "arguments", "stop_reason"],
  ...["content_block", "thinking", "signature", "input", "partial_json", "output_index", "phase", "length"],
];
const values = [
  ...["message_start", "message_delta", "content_block_start", "content_block_delta", "content_block_stop"],
  ...["text", "text_delta", "tool_use", "thinking", "thinking_delta", "input_json_delta", "citations_delta"],
  ...["response.completed", "response.output_item.done", "response.output_text.delta", "completed"],
  ...["message", "function_call", "reasoning", "stop", "end_turn", "length"],
];

/** JSON with the keywords of the vendors in wrong places. */
const foreign = fc.letrec<{ value: unknown }>((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    fc.constantFrom(...values, null, true, 0, 1, -1, 1.5, "", "x"),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom(...words), tie("value"), { maxKeys: 5 }),
  ),
})).value;

const collect = (collector: ReplyCollector, events: readonly unknown[]) => {
  const reported = events.flatMap((event) => collector.push(event));
  const text = reported.map((event) => (event.kind === "text" ? event.text : "")).join("");
  return { text, reply: collector.reply() };
};

describe.each(wires)("%s", (wire, read, collector) => {
  const isObject = (value: unknown) => typeof value === "object" && value !== null;

  it("reads any body or stream as plain JSON without throwing", () => {
    fc.assert(
      fc.property(
        foreign.filter(isObject),
        fc.array(foreign.filter(isObject), { maxLength: 6 }),
        (body, events) => {
          for (const reply of [read(body), collect(collector(), events).reply]) {
            if (reply === undefined) continue;
            expect(JSON.parse(JSON.stringify(reply))).toEqual(reply);
            expect(typeof reply.text).toBe("string");
          }
        },
      ),
      { numRuns: 400 },
    );
  });

  it("renders the conversation with any echo", () => {
    const reported = wire === "anthropic" ? toAnthropicMessages : toResponsesInput;
    fc.assert(
      fc.property(foreign, (data) => {
        const call = { id: "a", tool: "find", input: "{}" };
        const said: Message = { role: "assistant", content: "Hi", calls: [call], echo: { wire, data } };
        expect(JSON.stringify(reported([said]))).toContain("find");
      }),
      { numRuns: 200 },
    );
  });
});

it("streamed text equals the text of the reply", () => {
  const piece = fc.string({ minLength: 1, maxLength: 5 });
  fc.assert(
    fc.property(fc.array(piece, { maxLength: 8 }), (pieces) => {
      const chat = collect(openAIReplyCollector([]), [
        ...pieces.map((content) => ({ choices: [{ index: 0, delta: { content } }] })),
        { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
      ]);
      const messages = collect(anthropicReplyCollector(), [
        { type: "content_block_start", index: 0, content_block: { type: "text", text: "" } },
        ...pieces.map((text) => ({
          type: "content_block_delta",
          index: 0,
          delta: { type: "text_delta", text },
        })),
        { type: "message_delta", delta: { stop_reason: "end_turn" } },
      ]);
      for (const { text, reply } of [chat, messages]) {
        expect(text).toBe(pieces.join(""));
        expect(reply?.text).toBe(text);
      }
    }),
  );
});
