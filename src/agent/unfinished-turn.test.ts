import { expect, test } from "vitest";
import type { Message } from "../types/message.ts";
import { findUnfinishedTurn, pausedText } from "./conversation-calls.ts";

const asked: Message = { role: "user", content: "Go" };
const calls = [{ id: "s1", tool: "web_search", input: {}, providerExecuted: true }];
const first: Message = { role: "assistant", content: "One. ", calls, paused: true };
const last: Message = { role: "assistant", content: "Two.", calls: [{ ...calls[0]!, id: "s2" }] };

test("treats a reply with only provider-executed calls as the answer", () => {
  expect(findUnfinishedTurn([asked, last])).toMatchObject({ openCalls: undefined, text: "Two." });
});

test("adds the text before a pause to the answer, and waits for more after a pause", () => {
  expect(findUnfinishedTurn([asked, first])).toBeUndefined();
  expect(findUnfinishedTurn([asked, first, last])).toMatchObject({ text: "One. Two." });
  expect(pausedText([asked, first, first])).toBe("One. One. ");
  expect(pausedText([asked, first, last])).toBe("");
});
