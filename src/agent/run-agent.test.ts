import { agent, final, Haft, type Message, type ModelReply, tool } from "haft";
import { type RunOptions, validateConversation } from "haft/agent";
import { calls, type ScriptLine, says, scriptedModel } from "haft/testing";
import { describe, expect, it } from "vitest";
import type { AnyTool } from "../types/tool.ts";

const principal = { agent: "tester", allow: ["*"] };
let ran = 0;
const count = tool({ name: "count", description: "Counts", input: [], run: () => ++ran });

interface Scene {
  readonly input?: string;
  readonly tools?: readonly AnyTool[];
  readonly options?: RunOptions;
}

const run = async (
  lines: readonly ScriptLine[],
  { input = "Go", tools = [count], options = {} }: Scene = {},
) => {
  ran = 0;
  const model = scriptedModel(lines);
  const haft = await Haft.open({ principal });
  const helper = agent({ name: "helper", instructions: "Be brief.", model, tools });
  const response = await haft.run(helper, input, options);
  return { response, model, haft };
};

const call = (id: string, more: object = {}) => ({ id, tool: "count", input: "{}", ...more });

describe("request to the model", () => {
  it("has the system message of the conversation after the instructions", async () => {
    const context: readonly Message[] = [
      { role: "system", content: "The user is Ada." },
      { role: "user", content: "Hello" },
      { role: "assistant", content: "Hello." },
    ];
    const { model, response } = await run([says("Ada.")], { input: "Who am I?", options: { context } });
    expect(model.requests[0]?.messages).toEqual([
      { role: "system", content: "Be brief.\n\nThe user is Ada." },
      ...context.slice(1),
      { role: "user", content: "Who am I?" },
    ]);
    expect(response.context[0]).toEqual(context[0]);
  });

  it("has the echo of the provider, which is kept in the context", async () => {
    const echo = { wire: "anthropic", data: [{ type: "thinking", signature: "s1" }] };
    const { model, response } = await run([{ calls: [call("1")], echo }, says("Done.")]);
    expect(model.requests[1]?.messages[2]).toMatchObject({ role: "assistant", echo });
    expect(response.context[1]).toMatchObject({ role: "assistant", echo });
    expect(response.context.at(-1)).not.toHaveProperty("echo");
  });
});

describe("reply of the model", () => {
  it("keeps a call that the provider executed, without running or answering it", async () => {
    const { response } = await run([{ text: "Found.", calls: [call("p", { providerExecuted: true })] }]);
    expect(ran).toBe(0);
    expect(response).toMatchObject({ status: "done", content: "Found.", toolsUsed: [], turns: 1 });
    expect(response.context).toMatchObject([
      { role: "user" },
      { role: "assistant", calls: [{ id: "p", providerExecuted: true }] },
    ]);
    expect(response.context).toHaveLength(2);
  });

  it("gets an id for each call without one, and all of them run", async () => {
    const { response } = await run([{ calls: [call(""), call("")] }, says("Done.")]);
    expect(ran).toBe(2);
    expect(response.toolsUsed.map(({ ok, result }) => [ok, result])).toEqual([
      [true, 1],
      [true, 2],
    ]);
    expect(validateConversation(response.context)).toEqual([]);
  });

  it.each([[[{}]], [[null]], [[{ id: "1" }]], [[{ id: 1, tool: "count" }]]])(
    "is refused with invalid calls: %j",
    async (odd) => {
      const reply = { text: "", calls: odd } as unknown as ModelReply;
      const model = { ...scriptedModel([]), generate: async () => reply };
      const haft = await Haft.open({ principal });
      const helper = agent({ name: "helper", instructions: "Be brief.", model, tools: [count] });
      await expect(haft.run(helper, "Go")).rejects.toMatchObject({ code: "model_unreadable" });
    },
  );

  it("has its cached tokens summed over all turns", async () => {
    const usage = { inputTokens: 10, outputTokens: 2, cachedTokens: 4 };
    const { response } = await run([
      { calls: [call("1")], usage },
      { text: "Done.", usage },
    ]);
    expect(response.usage).toEqual({ inputTokens: 20, outputTokens: 4, cachedTokens: 8 });
    const none = await run([{ text: "Done.", usage: { inputTokens: 1, outputTokens: 1 } }]);
    expect(none.response.usage).toEqual({ inputTokens: 1, outputTokens: 1 });
  });
});

describe("end of a run", () => {
  it("returns a final value that is not a string as JSON", async () => {
    const total = tool({ name: "total", description: "Adds up", input: [], run: () => final({ total: 3 }) });
    const { response } = await run([calls(["total", {}])], { tools: [total] });
    expect(response).toMatchObject({ status: "done", content: '{"total":3}' });
    expect(response.context.at(-1)).toMatchObject({ role: "assistant", content: '{"total":3}' });
  });

  it("stops with a reason when a stop policy throws", async () => {
    const stop = () => {
      throw new Error("no clock");
    };
    const { response, model } = await run([calls(["count", {}]), says("Never.")], { options: { stop } });
    expect(response).toMatchObject({ status: "stopped", reason: "A stop policy failed: no clock" });
    expect(model.requests).toHaveLength(1);
  });
});

it("refuses two tools with the same wire name before the model is asked", async () => {
  const expert = agent({ name: "expert", instructions: "Know." });
  const lookalike = count.withName("handoff_to_expert");
  const model = scriptedModel([says("Never.")]);
  const haft = await Haft.open({ principal });
  const helper = agent({ name: "helper", instructions: "x", model, tools: [lookalike], handoffs: [expert] });
  await expect(haft.run(helper, "Go")).rejects.toMatchObject({
    code: "not_bound",
    message: 'Two tools or handoffs of the agent "helper" would have the name "handoff_to_expert".',
  });
  expect(model.requests).toHaveLength(0);
});

it("records the length of the conversation and its last message, truncated to 500 characters", async () => {
  const asked = async (input: string) => {
    const { haft } = await run([says("Done.")], { input });
    const [entry] = await haft.log();
    return JSON.parse(entry!.input);
  };
  expect(await asked("x".repeat(500))).toEqual({
    messages: 2,
    last: { role: "user", content: "x".repeat(500) },
  });
  expect(await asked("x".repeat(501))).toEqual({
    messages: 2,
    last: { role: "user", content: `${"x".repeat(500)}…` },
  });
});

it("uses the model of the run for its first agent and for handoff targets without one", async () => {
  const haft = await Haft.open({ principal });
  const own = scriptedModel([calls(["handoff_to_plain", {}])]);
  const given = scriptedModel([calls(["handoff_to_expert", {}]), says("Done.")]);
  const plain = agent({ name: "plain", instructions: "x" });
  const expert = agent({ name: "expert", instructions: "x", model: own, handoffs: [plain] });
  const unused = scriptedModel([]);
  const helper = agent({ name: "helper", instructions: "x", model: unused, handoffs: [expert] });
  expect((await haft.run(helper, "Go", { model: given })).content).toBe("Done.");
  expect([unused, own, given].map(({ requests }) => requests.length)).toEqual([0, 1, 2]);
});
