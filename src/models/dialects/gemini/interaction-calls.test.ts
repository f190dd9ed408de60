import { expect, test } from "vitest";
import { collectCalls, readCalls } from "../read-calls.ts";

const wire = "gemini-interactions";

test("returns function calls and remote MCP calls but no Google tools", () => {
  const steps = [
    { type: "thought", summary: [{ type: "text", text: "look" }] },
    { type: "google_search_call", id: "s", arguments: { queries: ["x"] } },
    { type: "mcp_server_tool_call", id: "m1", name: "roll", server_name: "dice", arguments: {} },
    { type: "function_call", id: "f1", name: "look", arguments: { city: "Oslo" } },
    { type: "function_result", call_id: "f1", name: "look", result: {} },
  ];
  const expected = (list: string) => [
    {
      id: "m1",
      tool: "roll",
      input: {},
      index: 0,
      part: `/${list}/2`,
      providerExecuted: true,
      finish: "complete",
    },
    { id: "f1", tool: "look", input: { city: "Oslo" }, index: 1, part: `/${list}/3`, finish: "complete" },
  ];
  expect(readCalls(wire, { status: "requires_action", steps })).toEqual(expected("steps"));
  expect(readCalls("google-interactions", { status: "requires_action", outputs: steps })).toEqual(
    expected("outputs"),
  );
});

test("collects streamed argument text between start and stop of a step", () => {
  const events = [
    { event_type: "interaction.created", interaction: { status: "in_progress" } },
    { event_type: "step.start", index: 0, step: { type: "thought" } },
    { event_type: "step.stop", index: 0 },
    {
      event_type: "step.start",
      index: 1,
      step: { type: "function_call", id: "f1", name: "look", arguments: {} },
    },
    { event_type: "step.delta", index: 1, delta: { type: "arguments_delta", arguments: '{"city":' } },
    { event_type: "step.delta", index: 1, delta: { type: "arguments_delta", arguments: '"Oslo"}' } },
    { event_type: "step.stop", index: 1 },
    {
      event_type: "step.start",
      index: 2,
      step: { type: "function_call", id: "f2", name: "time", arguments: {} },
    },
    { event_type: "step.stop", index: 2 },
    { event_type: "interaction.completed", interaction: { status: "requires_action" } },
  ];
  expect(collectCalls(wire, events)).toEqual([
    { id: "f1", tool: "look", input: '{"city":"Oslo"}', index: 0, part: "/steps/1", finish: "complete" },
    { id: "f2", tool: "time", input: {}, index: 1, part: "/steps/2", finish: "complete" },
  ]);
  expect(collectCalls(wire, events.slice(0, 6)).map(({ finish }) => finish)).toEqual(["incomplete"]);
});

test("accepts the older content events with a whole call in one delta", () => {
  const delta = { type: "function_call", id: "f1", name: "look", arguments: { city: "Oslo" } };
  const start = { event_type: "content.start", index: 0, content: { type: "function_call" } };
  const rest = [
    { event_type: "content.delta", index: 0, delta },
    { event_type: "content.stop", index: 0 },
    { event_type: "interaction.complete", interaction: { status: "requires_action" } },
  ];
  const expected = [
    { id: "f1", tool: "look", input: { city: "Oslo" }, index: 0, part: "/outputs/0", finish: "complete" },
  ];
  expect(collectCalls(wire, [start, ...rest])).toEqual(expected);
  expect(collectCalls(wire, rest)).toEqual(expected);
});
