import { expect, test } from "vitest";
import type { Message } from "../types/message.ts";
import { findUnfinishedTurn, pausedText } from "./unfinished-turn.ts";

const asked: Message = { role: "user", content: "Go" };
const calls = [{ id: "s1", tool: "web_search", input: {}, providerExecuted: true }];
const first: Message = { role: "assistant", content: "One. ", calls, paused: true };
const last: Message = { role: "assistant", content: "Two.", calls: [{ ...calls[0]!, id: "s2" }] };

test("a reply whose only calls its provider ran is the answer of a run that was left after it", () => {
  expect(findUnfinishedTurn([asked, last])).toMatchObject({ openCalls: undefined, text: "Two." });
});

test("a paused reply has more to come, and what came before the pause belongs to the answer", () => {
  expect(findUnfinishedTurn([asked, first])).toBeUndefined();
  expect(findUnfinishedTurn([asked, first, last])).toMatchObject({ text: "One. Two." });
  expect(pausedText([asked, first, first])).toBe("One. One. ");
  expect(pausedText([asked, first, last])).toBe("");
});
