import { expect, test } from "vitest";
import type { RawCall } from "../../../types/call.ts";
import type { AssistantMessage, Message } from "../../../types/message.ts";
import { toContents } from "./to-contents.ts";

const call = (id: string, city: string): RawCall => ({ id, tool: "get_weather", input: { city } });
const answer = (callId: string, content: string, ok = true): Message => ({
  role: "tool",
  callId,
  tool: "another name",
  content,
  ok,
});
const said = (content: string, calls: readonly RawCall[], parts?: readonly unknown[]): AssistantMessage => ({
  role: "assistant",
  content,
  calls,
  ...(parts === undefined ? {} : { echo: { wire: "gemini", data: { parts } } }),
});

test("tool results of one step share a content with the id and name of the call", () => {
  const messages = [
    said("Looking.", [call("x1", "Oslo"), call("gemini_call_1", "Rome")]),
    answer("x1", "21"),
    answer("gemini_call_1", "no such city", false),
  ];
  expect(toContents(messages)).toStrictEqual({
    contents: [
      {
        role: "model",
        parts: [
          { text: "Looking." },
          { functionCall: { id: "x1", name: "get_weather", args: { city: "Oslo" } } },
          { functionCall: { name: "get_weather", args: { city: "Rome" } } },
        ],
      },
      {
        role: "user",
        parts: [
          { functionResponse: { id: "x1", name: "get_weather", response: { output: "21" } } },
          { functionResponse: { name: "get_weather", response: { error: "no such city" } } },
        ],
      },
    ],
  });
});

test("system messages become the system instruction, and empty assistant messages are omitted", () => {
  const messages: Message[] = [
    { role: "system", content: "Be kind." },
    { role: "user", content: "Hi" },
    said("", []),
    { role: "user", content: "Hello?" },
  ];
  expect(toContents(messages)).toStrictEqual({
    systemInstruction: "Be kind.",
    contents: [
      { role: "user", parts: [{ text: "Hi" }] },
      { role: "user", parts: [{ text: "Hello?" }] },
    ],
  });
});

const signed = { functionCall: { name: "get_weather", args: { city: "Oslo" } }, thoughtSignature: "c2ln" };
const parts = [{ text: "Look" }, { text: "ing.", thoughtSignature: "YQ==" }, signed];

test("signed parts are sent back unchanged, and the tool result uses their id", () => {
  const { contents } = toContents([said("Looking.", [call("made", "Oslo")], parts), answer("made", "21")]);
  expect(contents).toStrictEqual([
    { role: "model", parts },
    { role: "user", parts: [{ functionResponse: { name: "get_weather", response: { output: "21" } } }] },
  ]);
});

test.each([
  ["the text", said("Something else.", [call("a", "Oslo")], parts)],
  ["an argument", said("Looking.", [call("a", "Rome")], parts)],
  ["the number of calls", said("Looking.", [], parts)],
  ["the parts to nonsense", said("Looking.", [call("a", "Oslo")], [7])],
  ["the wire", { ...said("Looking.", [call("a", "Oslo")]), echo: { wire: "openai", data: { parts } } }],
])("no signature is sent back when %s was changed", (_, message) => {
  expect(JSON.stringify(toContents([message]))).not.toContain("thoughtSignature");
});

test("only the first call of an unsigned step gets the placeholder signature", () => {
  const messages = [
    said("", [call("a", "Oslo"), call("b", "Rome")]),
    said("Looking.", [call("c", "Oslo")], parts),
  ];
  const [first, second] = toContents(messages, { unsigned: "skip" }).contents;
  expect(first?.parts.map(({ thoughtSignature }) => thoughtSignature)).toStrictEqual(["skip", undefined]);
  expect(second?.parts).toStrictEqual(parts);
});

test("two calls with the same id are answered with their own names", () => {
  const twice = [call("same", "Oslo"), { id: "same", tool: "get_time", input: {} }];
  const { contents } = toContents([said("", twice), answer("same", "21"), answer("same", "noon")]);
  const reported = contents[1]?.parts.map(({ functionResponse }) => functionResponse);
  expect(reported?.map((response) => response?.name)).toStrictEqual(["get_weather", "get_time"]);
  expect(new Set(reported?.map((response) => response?.id)).size).toBe(2);
});
