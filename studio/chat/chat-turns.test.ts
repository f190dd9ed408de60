import type { ChatEvent } from "@words/agents.ts";
import type { Approval } from "@words/approvals.ts";
import { describe, expect, it } from "vitest";
import { newTurn, withEvent } from "./chat-turns.ts";

const turnOf = (...events: readonly ChatEvent[]) => events.reduce(withEvent, newTurn("hello"));
const text = (words: string): ChatEvent => ({ kind: "text", agent: "desk", text: words });

describe("a turn of a chat", () => {
  it("joins words of one agent, and keeps calls where they were made", () => {
    const turn = turnOf(
      text("Let "),
      text("me look."),
      { kind: "call", agent: "desk", callId: "1", tool: "find", input: "{}" },
      { kind: "call-start", callId: "1", tool: "find" },
      { kind: "call-end", callId: "1", tool: "find", ok: true, durationMs: 5 },
      text("Here."),
    );
    expect(turn.parts).toEqual([
      { kind: "text", agent: "desk", text: "Let me look." },
      { kind: "call", callId: "1" },
      { kind: "text", agent: "desk", text: "Here." },
    ]);
    expect(turn.calls["1"]).toMatchObject({ state: "done", durationMs: 5 });
  });

  it("drops the words that are void after a reset", () => {
    expect(turnOf(text("Wrong"), { kind: "reset", agent: "desk", reason: "asked again" }).parts).toEqual([
      { kind: "note", text: "asked again" },
    ]);
  });

  it("passes over the end of a call that nobody announced", () => {
    expect(turnOf({ kind: "result", callId: "9", tool: "find", ok: true, text: "" }).calls).toEqual({});
  });

  it("shows a call that waits for a person as waiting, not as failed", () => {
    const approval = { id: "a", callId: "1", tool: "refund" } as Approval;
    const turn = turnOf(
      { kind: "call", agent: "desk", callId: "1", tool: "refund", input: "{}" },
      { kind: "approval", approval },
      { kind: "result", callId: "1", tool: "refund", ok: false, text: "waits" },
    );
    expect(turn.calls["1"]).toMatchObject({ state: "waits" });
  });
});
