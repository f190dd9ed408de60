import { describe, expect, it } from "vitest";
import { collect } from "../../test/kit/collect.ts";
import { type ScriptedResponse, wireServer } from "../../test/kit/wire-server.ts";
import { tool } from "../tools/tool.ts";
import { ToolError } from "../types/errors.ts";
import type { ContentPart, MediaPart, Message } from "../types/message.ts";
import type { Model, ModelReply } from "../types/model.ts";
import { anthropic } from "./anthropic.ts";
import { gemini } from "./gemini.ts";
import { ollama } from "./ollama.ts";
import { openai } from "./openai.ts";

const png = Buffer.from("a small picture").toString("base64");
const shot = Buffer.from("a screenshot").toString("base64");
const wav = Buffer.from("a short sound").toString("base64");
const pdf = Buffer.from("a short paper").toString("base64");
const picture: MediaPart = { kind: "image", mediaType: "image/png", data: png, name: "plan.png" };
const screen: MediaPart = { kind: "image", mediaType: "image/jpeg", data: shot };
const sound: MediaPart = { kind: "audio", mediaType: "audio/wav", data: wav };
const paper: MediaPart = { kind: "file", mediaType: "application/pdf", data: pdf, name: "paper.pdf" };
const notes: MediaPart = {
  kind: "file",
  mediaType: "text/markdown",
  data: Buffer.from("# Größe").toString("base64"),
  name: "notes.md",
};
const linked: MediaPart = { kind: "image", mediaType: "image/png", url: "https://media.example/a.png" };
const words = (text: string): ContentPart => ({ kind: "text", text });

const look = tool({ name: "look", description: "Looks", input: [], run: () => "" });
const tools = [{ wireName: "look", spec: look.spec }];
const asked: Message = {
  role: "user",
  content: [words("What is here?"), picture, words("And here?"), linked],
};
const called: Message = {
  role: "assistant",
  content: "",
  calls: [
    { id: "call_1", tool: "look", input: "{}" },
    { id: "call_2", tool: "look", input: "{}" },
  ],
};
const seen: readonly Message[] = [
  { role: "tool", callId: "call_1", tool: "look", content: '{"width":3}', parts: [screen], ok: true },
  { role: "tool", callId: "call_2", tool: "look", content: "null", ok: true },
];
const conversation: readonly Message[] = [asked, called, ...seen, { role: "user", content: "Go on." }];

/** Sends a request through the SDK and returns the request body and the reply. */
const ask = async (
  open: (url: string) => Model,
  answer: ScriptedResponse,
  messages: readonly Message[],
): Promise<{ readonly body: never; readonly reply: ModelReply }> => {
  await using server = await wireServer({ "*": answer });
  const reply = await open(server.url).generate({ messages, tools });
  return { body: server.requests[0]!.body as never, reply };
};

const chat = (url: string): Model => openai("gpt-x", { apiKey: "k", baseUrl: url, api: "chat" });
const chatAnswer: ScriptedResponse = {
  json: { choices: [{ message: { content: "A house." }, finish_reason: "stop" }] },
};
const responses = (url: string): Model => openai("gpt-x", { apiKey: "k", baseUrl: url });
const responsesAnswer = (...output: readonly unknown[]): ScriptedResponse => ({
  json: { status: "completed", output },
});
const spoken = { type: "message", content: [{ type: "output_text", text: "A house." }] };
const claude = (url: string): Model => anthropic("claude-x", { apiKey: "k", baseUrl: url });
const claudeAnswer: ScriptedResponse = {
  json: { content: [{ type: "text", text: "A house." }], stop_reason: "end_turn", usage: {} },
};
const google =
  (model: string) =>
  (url: string): Model =>
    gemini(model, { apiKey: "k", baseUrl: url });
const googleAnswer = (...parts: readonly unknown[]): ScriptedResponse => ({
  json: { candidates: [{ content: { role: "model", parts }, finishReason: "STOP" }] },
});
const llama = (url: string): Model => ollama("llava", { host: url, takes: { data: ["image/*"] } });
const llamaAnswer: ScriptedResponse = {
  json: { message: { content: "A house." }, done: true, done_reason: "stop" },
};

describe("images", () => {
  it("of users stay in their message, and those of results follow all results in a user message for chat completions", async () => {
    const { body, reply } = await ask(chat, chatAnswer, conversation);
    const url = `data:image/png;base64,${png}`;
    expect(body).toMatchObject({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is here?" },
            { type: "image_url", image_url: { url } },
            { type: "text", text: "And here?" },
            { type: "image_url", image_url: { url: "https://media.example/a.png" } },
          ],
        },
        { role: "assistant", tool_calls: [{ id: "call_1" }, { id: "call_2" }] },
        { role: "tool", tool_call_id: "call_1", content: '{"width":3}' },
        { role: "tool", tool_call_id: "call_2", content: "null" },
        {
          role: "user",
          content: [
            { type: "text", text: 'Media of the result of "look" (call call_1):' },
            { type: "image_url", image_url: { url: `data:image/jpeg;base64,${shot}` } },
            { type: "text", text: "Go on." },
          ],
        },
      ],
    });
    expect(reply).toMatchObject({ text: "A house." });
    expect(reply.losses).toBeUndefined();
  });

  it("stay in the output of their call for OpenAI responses", async () => {
    const { body, reply } = await ask(responses, responsesAnswer(spoken), conversation);
    expect(body).toMatchObject({
      input: [
        {
          role: "user",
          content: [
            { type: "input_text", text: "What is here?" },
            { type: "input_image", image_url: `data:image/png;base64,${png}` },
            { type: "input_text", text: "And here?" },
            { type: "input_image", image_url: "https://media.example/a.png" },
          ],
        },
        { type: "function_call", call_id: "call_1" },
        { type: "function_call", call_id: "call_2" },
        {
          type: "function_call_output",
          call_id: "call_1",
          output: [
            { type: "input_text", text: '{"width":3}' },
            { type: "input_image", image_url: `data:image/jpeg;base64,${shot}` },
          ],
        },
        { type: "function_call_output", call_id: "call_2", output: "null" },
        { role: "user", content: "Go on." },
      ],
    });
    expect(reply).toMatchObject({ text: "A house." });
  });

  it("stay in the result of their call for Anthropic", async () => {
    const { body } = await ask(claude, claudeAnswer, conversation);
    const block = (media_type: string, data: string) => ({
      type: "image",
      source: { type: "base64", media_type, data },
    });
    expect(body).toMatchObject({
      messages: [
        {
          role: "user",
          content: [
            { type: "text", text: "What is here?" },
            block("image/png", png),
            { type: "text", text: "And here?" },
            { type: "image", source: { type: "url", url: "https://media.example/a.png" } },
          ],
        },
        { role: "assistant" },
        {
          role: "user",
          content: [
            {
              type: "tool_result",
              tool_use_id: "call_1",
              content: [{ type: "text", text: '{"width":3}' }, block("image/jpeg", shot)],
            },
            { type: "tool_result", tool_use_id: "call_2", content: "null" },
          ],
        },
        { role: "user", content: "Go on." },
      ],
    });
  });

  it("stay in the function response for Gemini 3 and follow all responses for older models", async () => {
    const inline = (mimeType: string, data: string) => ({ inlineData: { mimeType, data } });
    const { body } = await ask(google("gemini-3-pro"), googleAnswer({ text: "A house." }), conversation);
    const user = {
      role: "user",
      parts: [
        { text: "What is here?" },
        inline("image/png", png),
        { text: "And here?" },
        { fileData: { mimeType: "image/png", fileUri: "https://media.example/a.png" } },
      ],
    };
    expect(body).toMatchObject({
      contents: [
        user,
        { role: "model" },
        {
          role: "user",
          parts: [
            { functionResponse: { name: "look", parts: [inline("image/jpeg", shot)] } },
            { functionResponse: { name: "look" } },
          ],
        },
        { role: "user", parts: [{ text: "Go on." }] },
      ],
    });
    const older = await ask(google("gemini-2.5-pro"), googleAnswer({ text: "A house." }), conversation);
    expect(older.body).toMatchObject({
      contents: [
        user,
        { role: "model" },
        { role: "user", parts: [{ functionResponse: {} }, { functionResponse: {} }] },
        { role: "user", parts: [{}, inline("image/jpeg", shot), { text: "Go on." }] },
      ],
    });
  });

  it("are sent next to the text for Ollama, with references in the text", async () => {
    const { body, reply } = await ask(llama, llamaAnswer, conversation);
    expect(body).toMatchObject({
      messages: [
        {
          role: "user",
          content: expect.stringMatching(
            /^What is here\?\n\[image 1\]\nAnd here\?\n\[image \(image\/png, https/,
          ),
          images: [png],
        },
        { role: "assistant" },
        { role: "tool", content: '{"width":3}' },
        { role: "tool", content: "null" },
        { role: "user", content: expect.stringMatching(/call_1\):\n\[image 1\]\nGo on\.$/), images: [shot] },
      ],
    });
    // Ollama does not fetch URLs.
    expect(reply.losses).toMatchObject([{ message: 0, part: 3, kind: "image", mediaType: "image/png" }]);
  });
});

describe("audio and files", () => {
  const mixed: readonly Message[] = [{ role: "user", content: [sound, paper, notes] }];

  it("use the parts of each vendor, and text files become text for all vendors", async () => {
    const toText = { type: "text", text: 'File "notes.md" (text/markdown):\n# Größe' };
    expect((await ask(chat, chatAnswer, mixed)).body).toMatchObject({
      messages: [
        {
          content: [
            { type: "input_audio", input_audio: { data: wav, format: "wav" } },
            {
              type: "file",
              file: { filename: "paper.pdf", file_data: `data:application/pdf;base64,${pdf}` },
            },
            toText,
          ],
        },
      ],
    });
    const toClaude = await ask(claude, claudeAnswer, mixed);
    expect(toClaude.body).toMatchObject({
      messages: [
        {
          content: [
            {
              type: "text",
              text: expect.stringContaining("audio (audio/wav, 13 bytes): it cannot be shown"),
            },
            { type: "document", source: { media_type: "application/pdf", data: pdf }, title: "paper.pdf" },
            toText,
          ],
        },
      ],
    });
    expect(toClaude.reply.losses).toMatchObject([{ message: 0, part: 0, mediaType: "audio/wav" }]);
    const toResponses = await ask(responses, responsesAnswer(spoken), mixed);
    expect(toResponses.body).toMatchObject({
      input: [{ content: [{}, { type: "input_file", filename: "paper.pdf" }, { type: "input_text" }] }],
    });
    expect(toResponses.reply.losses).toHaveLength(1);
    const toGoogle = await ask(google("gemini-3-pro"), googleAnswer({ text: "A house." }), mixed);
    expect(toGoogle.body).toMatchObject({
      contents: [
        { parts: [{ inlineData: { mimeType: "audio/wav" } }, { inlineData: {} }, { inlineData: {} }] },
      ],
    });
    expect(toGoogle.reply.losses).toBeUndefined();
  });

  it("become text and losses for a model that does not accept them", async () => {
    const plain = (url: string): Model => ollama("qwen3", { host: url });
    const { body, reply } = await ask(plain, llamaAnswer, [
      { role: "user", content: [words("Look:"), picture] },
    ]);
    expect(body).toMatchObject({
      messages: [{ content: 'Look:\n[image "plan.png" (image/png, 15 bytes): it cannot be shown to you.]' }],
    });
    expect(body).not.toHaveProperty("messages.0.images");
    expect(reply.losses).toEqual([
      {
        message: 0,
        part: 1,
        kind: "image",
        mediaType: "image/png",
        reason: expect.stringMatching(/does not declare that it accepts image\/png.*option `takes`/),
      },
    ]);
  });

  it("above the size limit are rejected before sending", async () => {
    await using server = await wireServer({ "*": chatAnswer });
    const model = openai("gpt-x", {
      apiKey: "k",
      baseUrl: server.url,
      api: "chat",
      takes: { data: ["image/*"], maxLength: 12 },
    });
    const error = await model.generate({ messages: [asked], tools }).catch((thrown: unknown) => thrown);
    expect(ToolError.is(error) && error.code).toBe("model_bad_request");
    expect(String(error)).toMatch(/have 15 bytes in total, and the limit of a request is 9 bytes/);
    expect(server.requests).toHaveLength(0);
    expect(() => openai("gpt-x", { takes: { data: ["png"] } })).toThrow("lists of media types");
    expect(() => openai("gpt-x", { takes: { data: [], maxLength: -1 } })).toThrow("whole number");
    expect(() => ollama("llava", { takes: { data: ["image/*"], url: ["image/*"] } })).toThrow(
      "does not fetch URLs",
    );
  });
});

describe("generated media", () => {
  it("of Gemini become parts and are sent back in place with their signature", async () => {
    const made = { inlineData: { mimeType: "image/png", data: png }, thoughtSignature: "c2ln" };
    const parts = [{ text: "Here:" }, made, { text: "Done." }];
    const { reply } = await ask(google("gemini-3-image"), googleAnswer(...parts), [
      { role: "user", content: "Draw." },
    ]);
    expect(reply).toMatchObject({
      text: "Here:Done.",
      parts: [{ kind: "image", mediaType: "image/png", data: png }],
    });
    // The data is stored only once.
    expect(JSON.stringify(reply.echo)).not.toContain(png);
    const again = await ask(google("gemini-3-image"), googleAnswer({ text: "Ok." }), [
      { role: "user", content: "Draw." },
      { role: "assistant", content: reply.text, parts: reply.parts!, echo: reply.echo! },
      { role: "user", content: "Larger." },
    ]);
    expect(again.body).toMatchObject({ contents: [{}, { role: "model", parts }, {}] });
    // A model of another vendor receives the image as an earlier result.
    const elsewhere = await ask(chat, chatAnswer, [
      { role: "user", content: "Draw." },
      { role: "assistant", content: reply.text, parts: reply.parts!, echo: reply.echo! },
      { role: "user", content: "Larger." },
    ]);
    expect(elsewhere.body).toMatchObject({
      messages: [
        {},
        { role: "assistant", content: "Here:Done." },
        { content: [{ text: "Media of your reply:" }, { type: "image_url" }, { text: "Larger." }] },
      ],
    });
  });

  it("of the OpenAI image tool become parts and are sent back within their item", async () => {
    const item = { type: "image_generation_call", id: "ig_1", status: "completed", result: png };
    const { reply } = await ask(responses, responsesAnswer(item, spoken), [
      { role: "user", content: "Draw." },
    ]);
    expect(reply).toMatchObject({
      text: "A house.",
      parts: [{ kind: "image", mediaType: "image/png", data: png }],
    });
    expect(JSON.stringify(reply.echo)).not.toContain(png);
    const message: Message = {
      role: "assistant",
      content: reply.text,
      parts: reply.parts!,
      echo: reply.echo!,
    };
    const again = await ask(responses, responsesAnswer(spoken), [
      message,
      { role: "user", content: "Larger." },
    ]);
    expect(again.body).toMatchObject({ input: [item, { type: "message" }, { content: "Larger." }] });
    // The items are dropped because the text was changed, but the image is still sent.
    const changed = await ask(responses, responsesAnswer(spoken), [
      { ...message, content: "A hut." },
      { role: "user", content: "Larger." },
    ]);
    expect(changed.body).toMatchObject({
      input: [
        { role: "assistant", content: "A hut." },
        { role: "user", content: [{}, { type: "input_image" }, { text: "Larger." }] },
      ],
    });
  });
});

describe("reasoning", () => {
  it("of OpenAI-compatible servers is returned and sent back before calls in its original field", async () => {
    const call = { id: "call_1", type: "function", function: { name: "look", arguments: "{}" } };
    const message = { content: null, reasoning_content: "Let me look.", tool_calls: [call] };
    const { reply } = await ask(chat, { json: { choices: [{ message, finish_reason: "tool_calls" }] } }, [
      asked,
    ]);
    expect(reply).toMatchObject({ reasoning: "Let me look.", calls: [{ id: "call_1" }] });
    const said: Message = { role: "assistant", content: "", calls: reply.calls, echo: reply.echo! };
    const { body } = await ask(chat, chatAnswer, [asked, said, { ...seen[0]!, parts: [] } as Message]);
    expect(body).toMatchObject({ messages: [{}, { reasoning_content: "Let me look." }, { role: "tool" }] });
    const whole: Message = { role: "assistant", content: "A house.", echo: reply.echo! };
    const later = await ask(chat, chatAnswer, [asked, whole, { role: "user", content: "Sure?" }]);
    expect(later.body).not.toHaveProperty("messages.1.reasoning_content");
  });

  it("of OpenAI-compatible servers is streamed as deltas", async () => {
    const chunk = (delta: object, finish_reason: string | null = null) => ({
      choices: [{ delta, finish_reason }],
    });
    await using server = await wireServer({
      "*": {
        sse: [
          chunk({ reasoning: "Hm. " }),
          chunk({ reasoning: "Yes." }),
          chunk({ content: "A house." }),
          chunk({}, "stop"),
          "[DONE]",
        ],
      },
    });
    const events = await collect(chat(server.url).stream({ messages: [asked], tools }));
    expect(events).toMatchObject([
      { kind: "reasoning", text: "Hm. " },
      { kind: "reasoning", text: "Yes." },
      { kind: "text", text: "A house." },
      { kind: "reply", reply: { text: "A house.", reasoning: "Hm. Yes.", echo: { wire: "openai-chat" } } },
    ]);
  });

  it("of OpenAI is requested encrypted for reasoning models, returned as a summary and echoed encrypted", async () => {
    const thoughts = {
      type: "reasoning",
      id: "rs_1",
      summary: [
        { type: "summary_text", text: "One." },
        { type: "summary_text", text: "Two." },
      ],
      encrypted_content: "c2VhbGVk",
    };
    const thinking = (url: string): Model => openai("gpt-5", { apiKey: "k", baseUrl: url });
    const { body, reply } = await ask(thinking, responsesAnswer(thoughts, spoken), [asked]);
    expect(body).toMatchObject({ store: false, include: ["reasoning.encrypted_content"] });
    expect(reply.reasoning).toBe("One.\n\nTwo.");
    const again = await ask(thinking, responsesAnswer(spoken), [
      asked,
      { role: "assistant", content: reply.text, echo: reply.echo! },
      { role: "user", content: "Sure?" },
    ]);
    expect(again.body).toMatchObject({ input: [{}, thoughts, { type: "message" }, {}] });
    expect((await ask(responses, responsesAnswer(spoken), [asked])).body).not.toHaveProperty("include");
  });

  it("of OpenAI is streamed as deltas with one paragraph per summary", async () => {
    const delta = (summary_index: number, text: string) => ({
      type: "response.reasoning_summary_text.delta",
      summary_index,
      delta: text,
    });
    await using server = await wireServer({
      "*": {
        named: true,
        sse: [
          { type: "response.reasoning_summary_part.added", summary_index: 0 },
          delta(0, "One."),
          { type: "response.reasoning_summary_part.added", summary_index: 1 },
          delta(1, "Two."),
          { type: "response.output_item.done", item: spoken },
          { type: "response.completed", response: { status: "completed", output: [spoken] } },
        ],
      },
    });
    const events = await collect(responses(server.url).stream({ messages: [asked], tools }));
    const reported = events.flatMap((event) => (event.kind === "reasoning" ? [event.text] : []));
    expect(reported.join("")).toBe("One.\n\nTwo.");
  });
});
