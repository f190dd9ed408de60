// A scripted model with three sentences, streamed word by word.
import { setTimeout as pause } from "node:timers/promises";
import { textOf } from "haft";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "haft/models";

const story = Array.from({ length: 60 }, (_, at) => `and teapot number ${at + 1} sang,`).join(" ");

const replyTo = ({ messages }: ModelRequest): Partial<ModelReply> => {
  const last = messages.at(-1);
  if (last?.role === "tool") {
    if (!last.ok) return { text: `Nothing was paid back: ${last.content.replace(/^Error: /, "")}` };
    const { item, total, refunded } = JSON.parse(last.content) as Record<string, string>;
    if (refunded !== undefined) return { text: `Order ${refunded} is paid back. ${story} the end.` };
    return { text: `It is "${item}", and it cost ${total} euros. Do you want a refund?` };
  }
  const said = last === undefined ? "" : textOf(last);
  const id = /\d+/.exec(said)?.[0] ?? "7";
  const call = (tool: string) => ({
    calls: [{ id: `call_${messages.length}`, tool, input: { id }, index: 0 }],
  });
  if (/refund|pay/i.test(said)) return { text: "A person must agree to that.", ...call("refund") };
  if (/order/i.test(said)) return { text: "Let me look.", ...call("find_order") };
  return {
    text: /story/i.test(said)
      ? `Once upon a time, ${story} the end.`
      : "I can find orders and pay them back.",
  };
};

async function* stream(request: ModelRequest, signal?: AbortSignal): AsyncGenerator<ModelEvent> {
  const { text = "", calls = [] } = replyTo(request);
  for (const word of text.match(/\s*\S+/g) ?? []) {
    await pause(12, undefined, { signal });
    yield { kind: "text", text: word };
  }
  const usage = { inputTokens: JSON.stringify(request.messages).length >> 2, outputTokens: text.length >> 2 };
  yield { kind: "reply", reply: { text, calls, usage, finish: calls.length > 0 ? "calls" : "stop" } };
}

export const shopModel: Model = {
  id: "example/shop",
  stream: (request, options) => stream(request, options?.signal),
  generate: async (request, options) => {
    for await (const event of stream(request, options?.signal))
      if (event.kind === "reply") return event.reply;
    throw new Error("The model returned an empty reply.");
  },
};
