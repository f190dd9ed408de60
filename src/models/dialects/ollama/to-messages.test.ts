import { expect, test } from "vitest";
import type { Message } from "../../../types/message.ts";
import { toOllamaMessages } from "./to-messages.ts";

const call = (id: string, input: unknown) => ({ id, tool: "get_weather", input });
const answer = (callId: string, content: string): Message => ({
  role: "tool",
  callId,
  tool: "get_weather",
  content,
  ok: true,
});

test("a conversation keeps its order, and each result names its tool and call", () => {
  expect(
    toOllamaMessages([
      { role: "system", content: "Be kind." },
      { role: "user", content: "Weather?" },
      {
        role: "assistant",
        content: "Looking.",
        calls: [call("a", { city: "Oslo" }), call("b", '{"city":"Rome"}')],
        agent: "weather",
      },
      answer("a", "21"),
      answer("b", "25"),
      { role: "assistant", content: "Fine." },
    ]),
  ).toStrictEqual([
    { role: "system", content: "Be kind." },
    { role: "user", content: "Weather?" },
    {
      role: "assistant",
      content: "Looking.",
      tool_calls: [
        { id: "a", function: { name: "get_weather", arguments: { city: "Oslo" } } },
        { id: "b", function: { name: "get_weather", arguments: { city: "Rome" } } },
      ],
    },
    { role: "tool", content: "21", tool_name: "get_weather", tool_call_id: "a" },
    { role: "tool", content: "25", tool_name: "get_weather", tool_call_id: "b" },
    { role: "assistant", content: "Fine." },
  ]);
});

test("thinking is sent back only to the same wire format", () => {
  const said = (wire: string, data: unknown): Message => ({
    role: "assistant",
    content: "Hi",
    echo: { wire, data },
  });
  const reported = toOllamaMessages([
    said("ollama", { thinking: "Hm." }),
    said("anthropic", { thinking: "Hm." }),
    said("ollama", null),
    said("ollama", { thinking: 7 }),
  ]);
  expect(reported.map(({ thinking }) => thinking)).toStrictEqual(["Hm.", undefined, undefined, undefined]);
});

test("provider-executed calls are omitted", () => {
  const ran = { ...call("a", {}), providerExecuted: true };
  expect(toOllamaMessages([{ role: "assistant", content: "Hi", calls: [ran] }])).toStrictEqual([
    { role: "assistant", content: "Hi" },
  ]);
});
