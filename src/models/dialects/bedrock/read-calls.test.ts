import { expect, test } from "vitest";
import { collectCalls, readCalls } from "../read-calls.ts";

const start = (contentBlockIndex: number, toolUse: object) => ({
  contentBlockStart: { contentBlockIndex, start: { toolUse } },
});
const delta = (contentBlockIndex: number, value: object) => ({
  contentBlockDelta: { contentBlockIndex, delta: value },
});
const stop = (contentBlockIndex: number) => ({ contentBlockStop: { contentBlockIndex } });
const end = (stopReason: string) => ({ messageStop: { stopReason } });
const look = { toolUseId: "t1", name: "look" };

test("returns calls of a message with their input objects and marks those that Bedrock runs", () => {
  const input = { city: "Oslo" };
  const content = [
    { reasoningContent: { reasoningText: { text: "look" } } },
    { text: "I look." },
    { toolUse: { ...look, input } },
    { toolUse: { toolUseId: "s1", name: "nova_grounding", type: "server_tool_use", input: {} } },
    { toolResult: { toolUseId: "s1", content: [] } },
  ];
  const calls = readCalls("bedrock", { output: { message: { content } }, stopReason: "tool_use" });
  expect(calls).toEqual([
    { id: "t1", tool: "look", input, index: 0, part: "/output/message/content/2", finish: "complete" },
    {
      id: "s1",
      tool: "nova_grounding",
      input: {},
      index: 1,
      part: "/output/message/content/3",
      providerExecuted: true,
      finish: "complete",
    },
  ]);
});

test("collects streamed input text next to text blocks without a start", () => {
  const events = [
    { messageStart: { role: "assistant" } },
    delta(0, { text: "I look." }),
    stop(0),
    start(1, look),
    delta(1, { toolUse: { input: '{"city":' } }),
    delta(1, { toolUse: { input: '"Oslo"}' } }),
    stop(1),
    start(2, { toolUseId: "t2", name: "time", type: "server_tool_use" }),
    stop(2),
    { metadata: { usage: {} } },
    end("tool_use"),
  ];
  expect(collectCalls("bedrock", events)).toEqual([
    {
      id: "t1",
      tool: "look",
      input: '{"city":"Oslo"}',
      index: 0,
      part: "/output/message/content/1",
      finish: "complete",
    },
    {
      id: "t2",
      tool: "time",
      input: "",
      index: 1,
      part: "/output/message/content/2",
      providerExecuted: true,
      finish: "complete",
    },
  ]);
});

test("marks a block without an end and the last block before the token limit as incomplete", () => {
  const text = delta(0, { toolUse: { input: '{"a":' } });
  const finishes = (...events: unknown[]) => collectCalls("bedrock", events).map(({ finish }) => finish);
  expect(finishes(start(0, look), text)).toEqual(["incomplete"]);
  expect(finishes(start(0, look), text, stop(0), end("max_tokens"))).toEqual(["incomplete"]);
  expect(finishes(start(0, look), text, stop(0), delta(1, { text: "so" }), end("max_tokens"))).toEqual([
    "complete",
  ]);
  const body = {
    output: { message: { content: [{ toolUse: { ...look, input: {} } }] } },
    stopReason: "max_tokens",
  };
  expect(readCalls("bedrock", body).map(({ finish }) => finish)).toEqual(["incomplete"]);
});
