import { expect, it } from "vitest";
import type { ModelEvent } from "../../src/types/model.ts";
import { calls, says, scriptedModel } from "./scripted-model.ts";

const request = { messages: [{ role: "user" as const, content: "hi" }], tools: [] };

it("answers the nth request with the nth answer, with defaults filled in", async () => {
  const model = scriptedModel([
    says("one"),
    calls(["add", { a: 1 }], ["add", "{a", "mine"]),
    async () => says("three"),
  ]);
  expect(await model.generate(request)).toEqual({
    text: "one",
    calls: [],
    usage: { inputTokens: 0, outputTokens: 0 },
    finish: "stop",
  });
  expect(await model.generate(request)).toMatchObject({
    text: "",
    calls: [
      { id: "call-2-1", tool: "add", input: '{"a":1}' },
      { id: "mine", tool: "add", input: "{a" },
    ],
    finish: "calls",
  });
  expect(await model.generate(request)).toMatchObject({ text: "three" });
  expect(model.requests).toEqual([request, request, request]);
});

it("throws an error of the script, and an error at the end of the script", async () => {
  const model = scriptedModel([new Error("broken")]);
  await expect(model.generate(request)).rejects.toThrow("broken");
  await expect(model.generate(request)).rejects.toThrow(
    "The script has 1 answers, but the model was asked 2 times.",
  );
});

it("streams the text word by word and the whole reply last", async () => {
  const model = scriptedModel([{ ...says(" a b\n c "), ...calls(["add", {}])(request, 1) }]);
  const events: ModelEvent[] = [];
  for await (const event of model.stream(request)) events.push(event);
  expect(events.map((event) => (event.kind === "text" ? event.text : event.kind))).toEqual([
    " a",
    " b",
    "\n c ",
    "call",
    "reply",
  ]);
  expect(events.at(-1)).toMatchObject({ reply: { text: " a b\n c ", finish: "calls" } });
});

it("ends on abort, both a pending answer and a stream between two words", async () => {
  const waiting = new AbortController();
  const never = scriptedModel([
    () => {
      waiting.abort(new Error("enough"));
      return new Promise<never>(() => {});
    },
  ]);
  await expect(never.generate(request, { signal: waiting.signal })).rejects.toThrow("enough");
  await expect(never.generate(request, { signal: waiting.signal })).rejects.toThrow("enough");
  expect(never.requests).toHaveLength(1);

  const reading = new AbortController();
  const words: string[] = [];
  const read = async () => {
    for await (const event of scriptedModel([says("a b c")]).stream(request, { signal: reading.signal })) {
      if (event.kind === "text") words.push(event.text);
      if (words.length === 2) reading.abort(new Error("enough"));
    }
  };
  await expect(read()).rejects.toThrow("enough");
  expect(words).toEqual(["a", " b"]);
});
