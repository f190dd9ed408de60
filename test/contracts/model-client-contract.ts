import { LLMock } from "@copilotkit/aimock";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { ModelError, ToolCancelledError } from "../../src/words/errors.ts";
import type { Message } from "../../src/words/message.ts";
import type { Model, ModelEvent, ModelReply, ModelRequest } from "../../src/words/model.ts";
import { specOf } from "../exports/spec-of.ts";

const input = { type: "object", properties: { city: { type: "string" } }, required: ["city"] } as const;
const tools = [{ wireName: "get_weather", spec: specOf(input, { name: "get_weather" }) }];
const opening: readonly Message[] = [
  { role: "system", content: "You know the weather." },
  { role: "user", content: "How is the weather?" },
];

/** The events of a stream, and the reply that ends it. */
export const readStream = async (events: AsyncIterable<ModelEvent>) => {
  const told: ModelEvent[] = [];
  for await (const event of events) told.push(event);
  const last = told.pop();
  if (last?.kind !== "reply") throw new Error("The last event of a stream is the reply.");
  return { told, reply: last.reply };
};

const parsed = (value: unknown): unknown => (typeof value === "string" ? JSON.parse(value) : value);

const ways: readonly [string, (model: Model, request: ModelRequest) => Promise<ModelReply>][] = [
  ["generate", (model, request) => model.generate(request)],
  ["stream", async (model, request) => (await readStream(model.stream(request))).reply],
];

/** What every client does against a foreign server of its vendor's wire, over the vendor's own SDK. */
export const modelClientContract = (name: string, open: (url: string) => Model): void => {
  const server = new LLMock({ port: 0 });
  server.on(
    { userMessage: "weather", hasToolResult: false },
    {
      content: "Looking.",
      toolCalls: [
        { name: "get_weather", arguments: { city: "Oslo" } },
        { name: "get_weather", arguments: { city: "Rome" } },
      ],
      // Its Gemini would say FUNCTION_CALL, which the real one never does.
      finishReason: name === "gemini" ? "stop" : "tool_calls",
    },
  );
  server.on({ userMessage: "weather", hasToolResult: true }, { content: "Fine in Oslo." });
  server.on(
    { userMessage: "story" },
    { content: "Once upon a time there was a tool." },
    { chunkSize: 4, truncateAfterChunks: 3 },
  );
  beforeAll(async () => {
    await server.start();
  });
  afterEach(() => {
    server.clearChaos();
  });
  afterAll(() => server.stop());

  describe(`${name} against a foreign server`, () => {
    it.each(ways)("runs two parallel calls, one of which fails, and then answers by %s", async (_, ask) => {
      const model = open(server.url);
      const first = await ask(model, { messages: opening, tools });
      expect(first).toMatchObject({ text: "Looking.", finish: "calls" });
      expect(first.calls.map(({ input, tool }) => [tool, parsed(input)])).toStrictEqual([
        ["get_weather", { city: "Oslo" }],
        ["get_weather", { city: "Rome" }],
      ]);
      expect(first.calls.every((call) => call.finish === "complete")).toBe(true);
      expect(new Set(first.calls.map(({ id }) => id)).size).toBe(2);
      const { calls, echo, text } = first;
      const messages: Message[] = [
        ...opening,
        { role: "assistant", content: text, calls, ...(echo === undefined ? {} : { echo }) },
        { role: "tool", callId: calls[0]!.id, tool: "get_weather", content: "21 degrees", ok: true },
        { role: "tool", callId: calls[1]!.id, tool: "get_weather", content: "No such city", ok: false },
      ];
      const second = await ask(model, { messages, tools });
      expect(second).toMatchObject({ text: "Fine in Oslo.", calls: [], finish: "stop" });
    });

    it("tells text and calls while they come, and the whole reply last", async () => {
      const { reply, told } = await readStream(open(server.url).stream({ messages: opening, tools }));
      const text = told.flatMap((event) => (event.kind === "text" ? [event.text] : [])).join("");
      expect(text).toBe(reply.text);
      const begun = told.flatMap((event) => (event.kind === "call" ? [event.id] : []));
      expect(begun).toStrictEqual(reply.calls.map(({ id }) => id));
    });

    const request = { messages: opening, tools };

    it.each(ways)("names a rate limit with the pause the server asks for, by %s", async (_, ask) => {
      server.setChaos({ rateLimitRate: 1 });
      const error = await ask(open(server.url), request).catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ModelError);
      expect(error).toMatchObject({ code: "model_rate_limited", retryable: true });
      expect((error as ModelError).failure.retryAfterMs).toBeGreaterThan(0);
    });

    it.each(ways)("asks once and says that the server is broken, by %s", async (_, ask) => {
      server.setChaos({ dropRate: 1 });
      server.clearRequests();
      await expect(ask(open(server.url), request)).rejects.toMatchObject({ code: "model_overloaded" });
      expect(server.getRequests()).toHaveLength(1);
    });

    it.each(ways)("makes no reply of a malformed body, by %s", async (_, ask) => {
      server.setChaos({ malformedRate: 1 });
      const failure = ask(open(server.url), request);
      await expect(failure).rejects.toMatchObject({ code: "model_unreadable", retryable: true });
    });

    it.each(ways)("says that the connection broke, by %s", async (_, ask) => {
      server.setChaos({ disconnectRate: 1 });
      const failure = ask(open(server.url), request);
      await expect(failure).rejects.toMatchObject({ code: "model_unreachable", retryable: true });
    });

    it("makes no reply of a stream that breaks in the middle", async () => {
      const story: ModelRequest = { messages: [{ role: "user", content: "Tell a story" }], tools: [] };
      const told: ModelEvent[] = [];
      const reading = (async () => {
        for await (const event of open(server.url).stream(story)) told.push(event);
      })();
      const error = await reading.catch((thrown: unknown) => thrown);
      expect(error).toBeInstanceOf(ModelError);
      expect((error as ModelError).retryable).toBe(true);
      expect(told.some((event) => event.kind === "reply")).toBe(false);
    });

    it("does not ask at all once its signal is aborted", async () => {
      server.clearRequests();
      const signal = AbortSignal.abort();
      const model = open(server.url);
      await expect(model.generate(request, { signal })).rejects.toBeInstanceOf(ToolCancelledError);
      await expect(readStream(model.stream(request, { signal }))).rejects.toBeInstanceOf(ToolCancelledError);
      expect(server.getRequests()).toHaveLength(0);
    });
  });
};
