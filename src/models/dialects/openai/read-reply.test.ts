import { describe, expect, it } from "vitest";
import type { ModelEvent } from "../../../types/model.ts";
import type { ReplyCollector } from "../model-reply.ts";
import { openAIReplyCollector, readOpenAIReply } from "./read-reply.ts";
import { readResponsesReply, responsesReplyCollector } from "./read-responses-reply.ts";

const collect = (collector: ReplyCollector, events: readonly unknown[]) => {
  const reported = events.flatMap((event) => collector.push(event));
  const text = reported.map((event: ModelEvent) => (event.kind === "text" ? event.text : "")).join("");
  return { reported: text, reply: collector.reply() };
};

const message = (part: object) => ({ type: "message", role: "assistant", content: [part] });
const text = { type: "output_text", text: "It is so." };
const refusal = { type: "refusal", refusal: "I will not." };
const call = { type: "function_call", id: "fc_1", call_id: "c1", name: "find", arguments: "{}" };
const at = { output_index: 0, content_index: 0 };
const completed = (...output: readonly object[]) => ({
  type: "response.completed",
  response: { status: "completed", output },
});

describe("streamed response", () => {
  const streamed = (...events: readonly unknown[]) => collect(responsesReplyCollector([]), events);

  it("emits and keeps a message that only the last event contains", () => {
    const { reported, reply } = streamed({ type: "response.created" }, completed(message(text)));
    expect([reported, reply?.text, reply?.finish]).toEqual(["It is so.", "It is so.", "stop"]);
  });

  it("keeps a message of the last event next to an earlier call", () => {
    const done = { type: "response.output_item.done", output_index: 0, item: call };
    const { reported, reply } = streamed(done, completed(call, message(text)));
    expect([reported, reply?.text, reply?.calls.length]).toEqual(["It is so.", "It is so.", 1]);
  });

  it("emits text without deltas once", () => {
    const done = { type: "response.output_text.done", ...at, text: "It is so." };
    expect(streamed(done, completed(message(text)))).toMatchObject({
      reported: "It is so.",
      reply: { text: "It is so." },
    });
    const delta = { type: "response.output_text.delta", ...at, delta: "It is so." };
    expect(streamed(delta, done, completed())).toMatchObject({
      reported: "It is so.",
      reply: { text: "It is so." },
    });
  });

  it("has finish refusal for every form of refusal", () => {
    const delta = { type: "response.refusal.delta", ...at, delta: "I will not." };
    const done = { type: "response.refusal.done", ...at, refusal: "I will not." };
    for (const events of [[delta, completed()], [done, completed()], [completed(message(refusal))]]) {
      expect(streamed(...events)).toMatchObject({
        reported: "I will not.",
        reply: { text: "I will not.", finish: "refusal" },
      });
    }
  });
});

it("a whole response has finish refusal or filter", () => {
  const refused = { status: "completed", output: [message(refusal)] };
  expect(readResponsesReply(refused, [])).toMatchObject({ text: "I will not.", finish: "refusal" });
  const filtered = {
    status: "incomplete",
    incomplete_details: { reason: "content_filter" },
    output: [message(text)],
  };
  expect(readResponsesReply(filtered, [])?.finish).toBe("filter");
});

describe("chat completion", () => {
  const choice = (body: object, finish_reason: string | null) => ({
    choices: [{ index: 0, finish_reason, ...body }],
  });
  const streamed = (...events: readonly unknown[]) => collect(openAIReplyCollector([]), events);

  it("has finish refusal, whole and streamed", () => {
    const said = { content: null, refusal: "I will not." };
    expect(readOpenAIReply(choice({ message: said }, "stop"), [])).toMatchObject({
      text: "I will not.",
      finish: "refusal",
    });
    expect(
      streamed(
        choice({ delta: { refusal: "I will " } }, null),
        choice({ delta: { refusal: "not." } }, "stop"),
      ),
    ).toMatchObject({ reported: "I will not.", reply: { text: "I will not.", finish: "refusal" } });
  });

  it("has finish filter when it was cut off within a refusal", () => {
    const said = { content: null, refusal: "I wi" };
    expect(readOpenAIReply(choice({ message: said }, "content_filter"), [])?.finish).toBe("filter");
  });

  it("emits and keeps the message of the last chunk once", () => {
    const whole = choice({ message: { content: "It is so." } }, "stop");
    expect(streamed(whole)).toMatchObject({ reported: "It is so.", reply: { text: "It is so." } });
    expect(streamed(choice({ delta: { content: "It is so." } }, null), whole)).toMatchObject({
      reported: "It is so.",
      reply: { text: "It is so." },
    });
  });
});
