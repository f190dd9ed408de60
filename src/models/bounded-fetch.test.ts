import { describe, expect, it } from "vitest";
import { boundedEvents, boundedFetch, maxReplyBytes } from "./bounded-fetch.ts";
import { fromAiSdk } from "./from-ai-sdk.ts";
import { openai } from "./openai.ts";

const piece = "x".repeat(1_048_576);
const tooLong = { code: "model_unreadable", message: expect.stringContaining("64 MB") };

/** Counts how many events are read from an endless stream. */
const endless = <Event>(event: Event) => {
  const taken = { count: 0 };
  const events = async function* () {
    for (;;) {
      taken.count += 1;
      yield event;
    }
  };
  return { taken, events: events() };
};

const read = async (events: AsyncIterable<unknown>): Promise<void> => {
  for await (const _ of events);
};

describe("endless model reply", () => {
  it("fails once its events exceed the size limit", async () => {
    const { taken, events } = endless({ delta: piece });
    await expect(read(boundedEvents(events))).rejects.toMatchObject(tooLong);
    expect(taken.count).toBeLessThan(66);
  });

  it("fails when its events contain no text", async () => {
    const { events } = endless({ a: [[[[[[[[{}, {}, {}, {}]]]]]]]], b: Array(100_000).fill(0) });
    await expect(read(boundedEvents(events))).rejects.toMatchObject(tooLong);
  });

  it("fails when its body has no line break", async () => {
    let sent = 0;
    const body = new ReadableStream<Uint8Array>({
      pull: (controller) => {
        sent += piece.length;
        controller.enqueue(new TextEncoder().encode(piece));
      },
    });
    const response = await boundedFetch(async () => new Response(body))("http://127.0.0.1");
    await expect(response.text()).rejects.toMatchObject(tooLong);
    expect(sent).toBeLessThan(maxReplyBytes + 4 * piece.length);
  });

  it("fails with model_unreadable for a custom client and the AI SDK", async () => {
    const hello = { messages: [{ role: "user", content: "Hi" }], tools: [] } as const;
    const chunk = { choices: [{ index: 0, delta: { content: piece } }] };
    const client = { chat: { completions: { create: async () => endless(chunk).events } }, responses: {} };
    const own = openai("x", { api: "chat", client: client as never });
    await expect(read(own.stream(hello))).rejects.toMatchObject(tooLong);
    const part = { type: "text-delta", id: "t", delta: piece };
    const sdk = fromAiSdk({
      specificationVersion: "v3",
      provider: "x",
      modelId: "y",
      doGenerate: async () => ({}),
      doStream: async () => ({ stream: ReadableStream.from(endless(part).events) }),
    });
    await expect(read(sdk.stream(hello))).rejects.toMatchObject(tooLong);
  });
});
