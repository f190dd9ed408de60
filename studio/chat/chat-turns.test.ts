import type { ChatEvent } from "@api/agents.ts";
import type { Approval } from "@api/approvals.ts";
import { describe, expect, it } from "vitest";
import { applyChatEvent, newChatTurn } from "./chat-turns.ts";

const turnOf = (...events: readonly ChatEvent[]) => events.reduce(applyChatEvent, newChatTurn("hello"));
const text = (words: string): ChatEvent => ({ kind: "text", agent: "desk", text: words });

describe("turn of a chat", () => {
  it("joins the text of one agent and keeps calls in their place", () => {
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

  it("drops the text before a reset", () => {
    expect(turnOf(text("Wrong"), { kind: "reset", agent: "desk", reason: "asked again" }).parts).toEqual([
      { kind: "note", text: "asked again" },
    ]);
  });

  it("ignores the result of an unknown call", () => {
    expect(turnOf({ kind: "result", callId: "9", tool: "find", ok: true, text: "" }).calls).toEqual({});
  });

  it("shows a pending call as pending, and as failed once it was denied", () => {
    const approval = { id: "a", callId: "1", tool: "refund", status: "waiting" } as Approval;
    const pending = turnOf(
      { kind: "call", agent: "desk", callId: "1", tool: "refund", input: "{}" },
      { kind: "approval", approval },
      { kind: "result", callId: "1", tool: "refund", ok: false, text: "pending" },
    );
    expect(pending.calls["1"]).toEqual(expect.objectContaining({ state: "needs approval" }));
    expect(pending.calls["1"]!.result).toBeUndefined();
    const denied = [
      { kind: "call-end", callId: "1", tool: "refund", ok: false, durationMs: 1 },
      { kind: "result", callId: "1", tool: "refund", ok: false, text: "not approved" },
    ] as const;
    const { calls } = denied.reduce(applyChatEvent, pending);
    expect(calls["1"]).toMatchObject({ state: "failed", result: "not approved" });
  });
});
