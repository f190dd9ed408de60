import { expect, it } from "vitest";
import { AnswerLog } from "./answer-log.ts";

const typesOf = ({ entries }: AnswerLog) => entries.map(({ chunk }) => chunk.type);
const spoken = (content: string, reasoning?: string) => ({
  messages: [{ role: "assistant", content, agent: "desk", ...(reasoning && { reasoning }) } as const],
  agentBefore: undefined,
  questions: [],
});

it("puts reasoning before the text of its step", () => {
  const log = new AnswerLog();
  log.onEvent({ kind: "reasoning", agent: "desk", text: "Hm. " });
  log.onEvent({ kind: "text", agent: "desk", text: "Hello." });
  log.record(spoken("Hello.", "Hm. "));
  expect(typesOf(log)).toEqual([
    "start-step",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "text-start",
    "text-delta",
    "text-end",
    "finish-step",
  ]);
});

it("replays a step as recorded when its reasoning was incomplete or out of order", () => {
  const log = new AnswerLog();
  log.onEvent({ kind: "text", agent: "desk", text: "Hel" });
  log.onEvent({ kind: "reasoning", agent: "desk", text: "Is it?" });
  log.onEvent({ kind: "text", agent: "desk", text: "lo." });
  log.record(spoken("Hello.", "Is it?"));
  const again = [
    "reset-step",
    "reasoning-start",
    "reasoning-delta",
    "reasoning-end",
    "text-start",
    "text-delta",
    "text-end",
    "finish-step",
  ];
  expect(typesOf(log)).toEqual(["start-step", "text-start", "text-delta", "text-delta", ...again]);
  const late = new AnswerLog();
  late.onEvent({ kind: "text", agent: "desk", text: "Hello." });
  late.record(spoken("Hello.", "An unseen thought."));
  expect(typesOf(late)).toEqual(["start-step", "text-start", "text-delta", ...again]);
});

it("replaces streamed text by recorded text", () => {
  const log = new AnswerLog();
  log.onEvent({ kind: "text", agent: "desk", text: "My key is sk-1." });
  log.record(spoken("My key is [redacted]."));
  expect(typesOf(log)).toEqual([
    "start-step",
    "text-start",
    "text-delta",
    "reset-step",
    "text-start",
    "text-delta",
    "text-end",
    "finish-step",
  ]);
});

it("wakes a waiting reader when the answer ends or the reader leaves", async () => {
  const log = new AnswerLog();
  const gone = new AbortController();
  const left = log.waitForMore(0, gone.signal);
  gone.abort();
  await left;
  const ended = log.waitForMore(0, new AbortController().signal);
  log.end({ kind: "done" });
  await ended;
  expect(log.ending).toEqual({ kind: "done" });
});
