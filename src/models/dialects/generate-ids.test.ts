import fc from "fast-check";
import { expect, test } from "vitest";
import type { Message } from "../../types/message.ts";
import { callNamer, generateIds, isGeneratedId } from "./to-vendor-messages.ts";

const said = (...ids: readonly string[]): Message => ({
  role: "assistant",
  content: "",
  calls: ids.map((id) => ({ id, tool: "work", input: {} })),
});

test("generateIds continues from the highest id in the conversation, even when its beginning was removed", () => {
  expect(generateIds("ollama", [])()).toBe("ollama_call_1");
  const next = generateIds("ollama", [said("ollama_call_7", "call_9"), said("ollama_call_3")]);
  expect([next(), next()]).toStrictEqual(["ollama_call_8", "ollama_call_9"]);
});

test("isGeneratedId recognizes only ids of the same wire format", () => {
  expect(isGeneratedId("gemini", "gemini_call_12")).toBe(true);
  expect(isGeneratedId("gemini", "ollama_call_12")).toBe(false);
  expect(isGeneratedId("gemini", "xgemini_call_1")).toBe(false);
});

test("generateIds returns no id that is in the conversation", () => {
  const id = fc.oneof(
    fc.nat(99).map((number) => `gemini_call_${number}`),
    fc.string(),
  );
  fc.assert(
    fc.property(fc.array(fc.array(id)), (turns) => {
      const messages = turns.map((ids) => said(...ids));
      const next = generateIds("gemini", messages);
      const fresh = [next(), next(), next()];
      expect(new Set([...turns.flat(), ...fresh]).size).toBe(new Set(turns.flat()).size + 3);
    }),
  );
});

test("callNamer keeps ids of the vendor and the ids it generated", () => {
  const namer = callNamer("gemini", []);
  namer.wrote("fc-1");
  namer.wrote(undefined);
  namer.wrote("");
  const named = (id: string) => namer.named({ id, tool: "work", input: {} }).id;
  expect(["call-0", "fc-1", "call-1", "call-0"].map(named)).toStrictEqual([
    "gemini_call_1",
    "fc-1",
    "gemini_call_2",
    "gemini_call_1",
  ]);
});
