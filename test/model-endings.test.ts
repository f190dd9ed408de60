import { agent, Haft, ModelError, tool } from "haft";
import { validateConversation } from "haft/agent";
import { timeout } from "haft/layers";
import { anthropic } from "haft/models/anthropic";
import { openai } from "haft/models/openai";
import { scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import { wireServer } from "./kit/wire-server.ts";

const principal = { agent: "tester", allow: ["*"] };
const usage = { input_tokens: 1, output_tokens: 1 };
const search = { type: "server_tool_use", id: "srvtoolu_1", name: "web_search", input: { query: "x" } };
const found = { type: "web_search_tool_result", tool_use_id: "srvtoolu_1", content: [] };
const says = (text: string) => ({ type: "text", text });

const message = (content: readonly unknown[], stop_reason: string) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-x",
  content,
  stop_reason,
  usage,
});

const chat = (body: object, finish_reason: string) => ({
  choices: [{ index: 0, message: { role: "assistant", content: null, ...body }, finish_reason }],
  usage: { prompt_tokens: 1, completion_tokens: 1 },
});

describe("a reply that is paused by its provider", () => {
  it("is sent back unchanged, and its two parts form one answer", async () => {
    await using server = await wireServer({
      "/v1/messages": [
        { json: message([says("I look. "), search], "pause_turn") },
        { json: message([found, says("It is so.")], "end_turn") },
      ],
    });
    const model = anthropic("claude-x", { apiKey: "sk-ant-test", baseUrl: server.url });
    await using haft = await Haft.open({ principal });
    const response = await haft.run(agent({ name: "a", instructions: "Help.", model }), "Is it so?");
    expect(response).toMatchObject({ status: "done", content: "I look. It is so.", turns: 2 });
    expect(validateConversation(response.context)).toEqual([]);
    const { messages } = server.requests[1]!.body as { readonly messages: readonly unknown[] };
    expect(messages).toEqual([
      { role: "user", content: "Is it so?" },
      { role: "assistant", content: [says("I look. "), search] },
    ]);
  });

  it("counts as a turn, so that a provider cannot pause forever", async () => {
    const paused = { text: "Wait. ", finish: "pause" } as const;
    const model = scriptedModel(Array.from({ length: 12 }, () => paused));
    await using haft = await Haft.open({ principal });
    const response = await haft.run(agent({ name: "a", instructions: "Help.", model }), "Go");
    expect(response).toMatchObject({ status: "stopped", turns: 10, content: "Wait. ".repeat(10) });
  });

  it("continues when its run is resumed", async () => {
    const own = [{ id: "s1", tool: "web_search", input: {}, providerExecuted: true }];
    const gone = new ModelError("model_unauthorized", "the key was withdrawn");
    const model = scriptedModel([{ text: "One. ", finish: "pause", calls: own }, gone, { text: "Two." }]);
    await using haft = await Haft.open({ principal, ledger: "memory" });
    const helper = agent({ name: "a", instructions: "Help.", model });
    const error = await haft.run(helper, "Go").catch((thrown: ModelError) => thrown);
    expect(error).toMatchObject({ code: "model_unauthorized" });
    const { runId } = (error as ModelError).response!;
    const response = await haft.run(helper, undefined, { resume: runId });
    expect(response).toMatchObject({ status: "done", content: "One. Two." });
  });
});

describe("a model that does not answer", () => {
  const run = async (body: object, reason: string) => {
    await using server = await wireServer({ "/v1/chat/completions": { json: chat(body, reason) } });
    const model = openai("gpt-x", { api: "chat", apiKey: "sk-test-1234567", baseUrl: `${server.url}/v1` });
    await using haft = await Haft.open({ principal });
    return await haft.run(agent({ name: "a", instructions: "Help.", model }), "Go");
  };

  it("ends the run as refused, with its text", async () => {
    expect(await run({ refusal: "I cannot help with that." }, "stop")).toMatchObject({
      status: "stopped",
      content: "I cannot help with that.",
      reason: "The model refused to answer.",
    });
  });

  it("ends the run as filtered when a filter cut it off", async () => {
    expect(await run({ content: "Here is" }, "content_filter")).toMatchObject({
      status: "stopped",
      content: "Here is",
      reason: "The provider's filter stopped the model.",
    });
  });
});

describe("a model that takes too long", () => {
  const never = { ...scriptedModel([]), generate: () => new Promise<never>(() => {}) };

  it("fails with a ModelError that names the time limit", async () => {
    await using haft = await Haft.open({ principal });
    const helper = agent({ name: "a", instructions: "Help.", model: never, modelLayers: [timeout(5)] });
    const error: unknown = await haft.run(helper, "Go").catch((thrown: unknown) => thrown);
    expect(error).toBeInstanceOf(ModelError);
    expect(error).toMatchObject({ code: "model_timed_out", failure: { timeoutMs: 5 } });
    expect((error as Error).message).toContain("scripted/model did not answer within 5 ms");
  });

  it("does not affect the time limit of a tool", async () => {
    const slow = tool({
      name: "slow",
      description: "Waits",
      input: [],
      timeout: 5,
      run: () => new Promise(() => {}),
    });
    await using haft = await Haft.open({ principal, tools: [slow] });
    await expect(haft.call("slow", {})).rejects.toMatchObject({ code: "timed_out" });
  });
});

describe("a reply that is cut off after a complete call", () => {
  const calling = { id: "c", type: "function", function: { name: "pay", arguments: '{"id":7}' } };
  const pay = (paid: unknown[]) =>
    tool({
      name: "pay",
      description: "Pays an invoice",
      input: { type: "object", properties: { id: { type: "number" } } },
      run: (given) => void paid.push(given),
    });

  it.each(["length", "content_filter"])("does not make the call: %s", async (reason) => {
    const paid: unknown[] = [];
    await using server = await wireServer({
      "/v1/chat/completions": [
        { json: chat({ tool_calls: [calling] }, reason) },
        { json: chat({ content: "Sorry." }, "stop") },
      ],
    });
    const model = openai("gpt-x", { apiKey: "sk-test", baseUrl: `${server.url}/v1`, api: "chat" });
    await using haft = await Haft.open({ tools: [pay(paid)], principal });
    const clerk = agent({ name: "a", instructions: "Help.", model, tools: ["*"] });
    const { toolsUsed } = await haft.run(clerk, "Pay 7.");
    expect(paid).toEqual([]);
    expect(toolsUsed).toMatchObject([{ name: "pay", ok: false, error: expect.stringContaining("cut off") }]);
  });

  it.each(["length", "filter", "refusal"] as const)(
    "does not make the call of a custom model: %s",
    async (finish) => {
      const paid: unknown[] = [];
      const call = { id: "c", tool: "pay", input: '{"id":7}' };
      const model = scriptedModel([{ calls: [call], finish }, { text: "Sorry." }]);
      await using haft = await Haft.open({ tools: [pay(paid)], principal });
      await haft.run(agent({ name: "a", instructions: "Help.", model, tools: ["*"] }), "Pay 7.");
      expect(paid).toEqual([]);
    },
  );
});
