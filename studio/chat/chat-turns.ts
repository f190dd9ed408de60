import type { ChatEvent } from "@api/agents.ts";
import type { Approval } from "@api/approvals.ts";
import type { AppView } from "@api/apps.ts";
import type { Tokens } from "@api/runs.ts";

export interface ChatCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: string;
  readonly state: "requested" | "running" | "needs approval" | "done" | "failed";
  readonly durationMs?: number;
  readonly result?: string;
  readonly app?: AppView;
}

export interface ChatTurn {
  readonly said?: string;
  readonly parts: readonly (
    | { readonly kind: "text" | "reasoning"; readonly agent: string; readonly text: string }
    | { readonly kind: "call"; readonly callId: string }
    | { readonly kind: "note"; readonly text: string }
  )[];
  readonly calls: Readonly<Record<string, ChatCall>>;
  readonly approvals: readonly Approval[];
  readonly tokens?: Tokens;
  readonly runId?: string;
  readonly status?: string;
  readonly modelTurns?: number;
  readonly problem?: string;
}

export const newChatTurn = (said?: string): ChatTurn => ({
  ...(said === undefined ? {} : { said }),
  parts: [],
  calls: {},
  approvals: [],
});

/** Each `start` event begins a new turn. */
export const applyChatEvents = (
  turns: readonly ChatTurn[],
  events: readonly ChatEvent[],
): readonly ChatTurn[] => {
  const all = [...turns];
  for (const event of events) {
    if (event.kind === "start") all.push(newChatTurn(event.message));
    else if (all.length > 0) all.push(applyChatEvent(all.pop()!, event));
  }
  return all;
};

export const applyChatEvent = (turn: ChatTurn, event: ChatEvent): ChatTurn => {
  const { parts, calls } = turn;
  const change = (callId: string, more: Partial<ChatCall>): ChatTurn["calls"] =>
    calls[callId] === undefined ? calls : { ...calls, [callId]: { ...calls[callId], ...more } };
  switch (event.kind) {
    case "start":
      return turn;
    case "text":
    case "reasoning": {
      const last = parts.at(-1);
      const isSame = last !== undefined && last.kind === event.kind && last.agent === event.agent;
      const { kind, agent, text } = event;
      return isSame
        ? { ...turn, parts: [...parts.slice(0, -1), { ...last, text: last.text + text }] }
        : { ...turn, parts: [...parts, { kind, agent, text }] };
    }
    case "reset":
      return {
        ...turn,
        parts: [...parts.filter(({ kind }) => kind === "call"), { kind: "note", text: event.reason }],
      };
    case "call": {
      const { callId, tool, input } = event;
      return {
        ...turn,
        parts: [...parts, { kind: "call", callId }],
        calls: { ...calls, [callId]: { callId, tool, input, state: "requested" } },
      };
    }
    case "call-start":
      return { ...turn, calls: change(event.callId, { state: "running" }) };
    case "call-end": {
      const { callId, ok, durationMs } = event;
      return { ...turn, calls: change(callId, { state: ok ? "done" : "failed", durationMs }) };
    }
    case "result": {
      const { callId, ok, text, app } = event;
      // Only `call-end` reports the outcome of a pending call.
      const isPending = calls[callId]?.state === "needs approval";
      return {
        ...turn,
        calls: change(callId, {
          ...(isPending ? {} : { state: ok ? "done" : "failed", result: text }),
          ...(app === undefined ? {} : { app }),
        }),
      };
    }
    case "approval": {
      const { approval } = event;
      return {
        ...turn,
        approvals: [...turn.approvals.filter(({ id }) => id !== approval.id), approval],
        calls: approval.status === "waiting" ? change(approval.callId, { state: "needs approval" }) : calls,
      };
    }
    case "handoff":
      return {
        ...turn,
        parts: [...parts, { kind: "note", text: `Handoff from ${event.from} to ${event.to}` }],
      };
    case "usage":
      return { ...turn, tokens: event.tokens };
    case "failed":
      return {
        ...turn,
        problem: event.message,
        ...(event.runId === undefined ? {} : { runId: event.runId }),
      };
    case "done":
      return {
        ...turn,
        runId: event.runId,
        status: event.status,
        modelTurns: event.turns,
        tokens: event.tokens,
        ...(event.status === "cancelled" ? { problem: "Stopped." } : {}),
      };
  }
};
