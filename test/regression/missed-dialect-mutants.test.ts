import { Haft, type ModelEvent, tool } from "haft";
import { gemini } from "haft/models/gemini";
import { openai } from "haft/models/openai";
import { describe, expect, it } from "vitest";

const principal = { agent: "tester", allow: ["**"] };
const messages = [{ role: "user", content: "Go" }] as const;

describe("toolCall of a model client", () => {
  const save = tool({
    name: "save",
    description: "Saves",
    input: { type: "object", properties: { stars: { type: "integer" } }, required: ["stars"] },
    annotations: { readOnly: true },
    run: () => "saved",
  });
  const answer = {
    id: "r1",
    object: "chat.completion",
    created: 1,
    model: "gpt-x",
    choices: [
      {
        index: 0,
        finish_reason: "tool_calls",
        message: {
          role: "assistant",
          content: null,
          tool_calls: [
            { id: "1", type: "function", function: { name: "save", arguments: "{'stars': '5',}" } },
          ],
        },
      },
    ],
    usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
  };
  const model = openai("gpt-x", { apiKey: "sk-test", api: "chat", fetch: async () => Response.json(answer) });

  it("repairs arguments only on request, with a list of tools and with a runtime", async () => {
    const haft = await Haft.open({ tools: [save], principal });
    for (const tools of [[save], haft]) {
      const [plain] = await model.toolCall(messages, tools as never);
      const [repaired] = await model.toolCall(messages, tools as never, { repair: "deterministic" });
      expect([plain?.success, plain?.provenance.repaired]).toEqual([false, false]);
      expect([repaired?.success, repaired?.provenance.repaired]).toEqual([true, true]);
    }
  });
});

describe("a reply of Gemini", () => {
  const thought = { text: "I think.", thought: true, thoughtSignature: "c2lnbmVk" };
  const chunk = (parts: readonly object[], more: object = {}) => ({
    candidates: [{ content: { role: "model", parts }, index: 0, ...more }],
    usageMetadata: { promptTokenCount: 1, candidatesTokenCount: 1 },
  });
  const asked: unknown[] = [];
  const model = gemini("gemini-3-flash", {
    client: {
      models: {
        generateContent: async (request: never) => {
          asked.push(request);
          return chunk([thought, { text: "Hello." }], { finishReason: "STOP" });
        },
        generateContentStream: async () =>
          (async function* () {
            yield chunk([thought]);
            yield chunk([{ text: "Hello." }], { finishReason: "STOP" });
          })(),
      },
    },
  });

  it("keeps its signed thoughts and sends them back with the next request", async () => {
    const reply = await model.generate({ messages, tools: [] });
    expect(reply.text).toBe("Hello.");
    expect(JSON.stringify(reply.echo)).toContain("c2lnbmVk");
    await model.generate({
      messages: [
        ...messages,
        { role: "assistant", content: reply.text, ...(reply.echo === undefined ? {} : { echo: reply.echo }) },
        { role: "user", content: "And now?" },
      ],
      tools: [],
    });
    expect(JSON.stringify(asked[1])).toContain("c2lnbmVk");
  });

  it("keeps its signed thoughts also when it is streamed", async () => {
    const events: ModelEvent[] = [];
    for await (const event of model.stream({ messages, tools: [] })) events.push(event);
    expect(JSON.stringify(events.at(-1))).toContain("c2lnbmVk");
  });
});

describe("a stream of the Responses API", () => {
  const item = {
    type: "message",
    id: "m1",
    role: "assistant",
    status: "completed",
    content: [{ type: "output_text", text: "All at once.", annotations: [] }],
  };
  const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
  const sse = (events: readonly object[]): Response =>
    new Response(
      events
        .map((event) => `event: ${(event as { type: string }).type}\ndata: ${JSON.stringify(event)}\n\n`)
        .join(""),
      { headers: { "content-type": "text/event-stream" } },
    );
  const done = { type: "response.output_item.done", output_index: 0, item };
  const completed = {
    type: "response.completed",
    response: { id: "r1", object: "response", status: "completed", output: [item], usage },
  };

  it("that has text without deltas has that text in its reply", async () => {
    const model = openai("gpt-x", { apiKey: "sk-test", fetch: async () => sse([done, completed]) });
    const events: ModelEvent[] = [];
    for await (const event of model.stream({ messages, tools: [] })) events.push(event);
    const last = events.at(-1);
    expect(last?.kind === "reply" ? last.reply.text : undefined).toBe("All at once.");
  });
});
