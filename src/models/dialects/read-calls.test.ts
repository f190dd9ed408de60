import { expect, test } from "vitest";
import { ConfigurationError, ModelError } from "../../types/errors.ts";
import { callCollector, collectCalls, readCalls } from "./read-calls.ts";
import type { WireName } from "./wires.ts";

const chat = (call: object, reason: string | null = null) => ({
  choices: [{ index: 0, delta: { tool_calls: [call] }, finish_reason: reason }],
});

const body = {
  choices: [
    {
      message: { tool_calls: [{ id: "a", function: { name: "look", arguments: '{ "x":1 }' } }] },
      finish_reason: "tool_calls",
    },
  ],
};

const part = "/choices/0/message/tool_calls/0";
const look = { id: "a", tool: "look", input: '{ "x":1 }', index: 0, part, finish: "complete" };

test("returns the same calls for a reply as text or value with the original arguments", () => {
  expect(readCalls("openai-chat", body)).toEqual([look]);
  expect(readCalls("openai", JSON.stringify(body))).toEqual([look]);
});

test("accepts every wire name used by the recordings", () => {
  for (const name of ["google", "google-partial-args", "google-interactions", "openai"] as const) {
    expect(readCalls(name, {})).toEqual([]);
  }
});

test("rejects an unknown wire name with the list of known ones", () => {
  expect(() => readCalls("constructor" as WireName, {})).toThrow(ConfigurationError);
  expect(() => callCollector("telex" as WireName)).toThrow(/"telex".*openai-chat.*anthropic.*cohere/);
});

test("reports model_unreadable for text that is not JSON and finds no calls in other JSON", () => {
  expect(() => readCalls("anthropic", '{"content": [')).toThrow(ModelError);
  expect(() => readCalls("anthropic", "<html>")).toThrow(
    expect.objectContaining({ code: "model_unreadable" }),
  );
  for (const nothing of [null, 1, "null", [], "[]", undefined])
    expect(readCalls("anthropic", nothing)).toEqual([]);
});

test("reports model_unreadable for a line within a stream that is not JSON", () => {
  expect(() => collectCalls("openai-chat", "data: {}\n\ndata: {oops\n\ndata: {}\n\n")).toThrow(
    expect.objectContaining({ code: "model_unreadable" }),
  );
});

test("keeps earlier calls as incomplete when a stream ends within a line", () => {
  const text = `data: ${JSON.stringify(chat({ index: 0, id: "a", function: { name: "look", arguments: "{}" } }))}`;
  expect(collectCalls("openai-chat", `${text}\n\ndata: {"choices":[{"ind`)).toEqual([
    { id: "a", tool: "look", input: "{}", index: 0, part, finish: "incomplete" },
  ]);
});

test("ignores comments, other fields and the end marker of a stream", () => {
  const event = JSON.stringify(
    chat({ index: 0, id: "a", function: { name: "look", arguments: "{}" } }, "stop"),
  );
  const text = `: keep-alive\r\nevent: chunk\r\nid: 7\r\nretry: 10\r\ndata:${event}\r\n\r\ndata: [DONE]\r\n\r\n`;
  const complete = [{ id: "a", tool: "look", input: "{}", index: 0, part, finish: "complete" }];
  expect(collectCalls("openai-chat", text)).toEqual(complete);
  expect(collectCalls("openai-chat", text.split("\r\n"))).toEqual(complete);
  expect(collectCalls("openai-chat", [...text])).toEqual(complete);
});

test("reads a list of events in order", () => {
  const chunk = (name: string) => ({
    candidates: [{ content: { parts: [{ functionCall: { name, args: {} } }] } }],
  });
  const list = [chunk("first"), chunk("second")];
  for (const given of [list, JSON.stringify(list, null, 2)]) {
    expect(readCalls("gemini", given).map(({ id, tool }) => [id, tool])).toEqual([
      ["call-0", "first"],
      ["call-1", "second"],
    ]);
    expect(collectCalls("gemini", given)).toEqual(readCalls("gemini", given));
  }
});

test("announces each call once when its name is known", () => {
  const collector = callCollector("openai-chat");
  const begun = { id: "a", tool: "look", input: "", index: 0, finish: "incomplete" };
  expect(collector.push(chat({ index: 0, id: "a", function: { arguments: "" } }))).toEqual([]);
  expect(collector.push(chat({ index: 0, function: { name: "look" } }))).toEqual([begun]);
  expect(collector.push(chat({ index: 0, id: "a", function: { name: "look", arguments: "{}" } }))).toEqual(
    [],
  );
  expect(collector.calls()).toEqual([{ ...begun, part, input: "{}" }]);
  collector.push({ choices: [{ delta: {}, finish_reason: "tool_calls" }] });
  expect(collector.calls()).toEqual([{ ...begun, part, input: "{}", finish: "complete" }]);
});

test("collects a megabyte from ten thousand chunks", () => {
  const piece = "x".repeat(100);
  const events = Array.from({ length: 10_000 }, () => chat({ index: 0, function: { arguments: piece } }));
  const start = chat({ index: 0, id: "a", function: { name: "look", arguments: '{"text":"' } });
  const [call] = collectCalls("openai-chat", [
    start,
    ...events,
    chat({ index: 0, function: { arguments: '"}' } }, "tool_calls"),
  ]);
  expect(call).toEqual({
    id: "a",
    tool: "look",
    input: `{"text":"${piece.repeat(10_000)}"}`,
    index: 0,
    part,
    finish: "complete",
  });
});
