import type { ChatEvent } from "@words/agents.ts";
import type { Approval } from "@words/approvals.ts";
import type { AppView } from "@words/apps.ts";
import type { Tokens } from "@words/runs.ts";

export interface ChatCall {
  readonly callId: string;
  readonly tool: string;
  readonly input: string;
  /** `waits` is for a person: what the model was told of it meanwhile is no failure. */
  readonly state: "asked" | "running" | "waits" | "done" | "failed";
  readonly durationMs?: number;
  readonly result?: string;
  /** What the App of the tool is given. */
  readonly app?: AppView;
}

/** What was said and done since one message of the person. */
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
  readonly trouble?: string;
}

export const newTurn = (said?: string): ChatTurn => ({
  ...(said === undefined ? {} : { said }),
  parts: [],
  calls: {},
  approvals: [],
});

/** All turns after more events: each answer that begins is another one. */
export const withEvents = (turns: readonly ChatTurn[], events: readonly ChatEvent[]): readonly ChatTurn[] => {
  const all = [...turns];
  for (const event of events) {
    if (event.kind === "begun") all.push(newTurn(event.said));
    else if (all.length > 0) all.push(withEvent(all.pop()!, event));
  }
  return all;
};

/** A turn after one more event. */
export const withEvent = (turn: ChatTurn, event: ChatEvent): ChatTurn => {
  const { parts, calls } = turn;
  const change = (callId: string, more: Partial<ChatCall>): ChatTurn["calls"] =>
    calls[callId] === undefined ? calls : { ...calls, [callId]: { ...calls[callId], ...more } };
  const ended = (callId: string, ok: boolean): ChatCall["state"] =>
    ok ? "done" : turn.approvals.some((asked) => asked.callId === callId) ? "waits" : "failed";
  switch (event.kind) {
    case "begun":
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
        calls: { ...calls, [callId]: { callId, tool, input, state: "asked" } },
      };
    }
    case "call-start":
      return { ...turn, calls: change(event.callId, { state: "running" }) };
    case "call-end": {
      const { callId, ok, durationMs } = event;
      return { ...turn, calls: change(callId, { state: ended(callId, ok), durationMs }) };
    }
    case "result":
      return {
        ...turn,
        calls: change(event.callId, {
          state: ended(event.callId, event.ok),
          result: event.text,
          ...(event.app === undefined ? {} : { app: event.app }),
        }),
      };
    case "approval":
      return {
        ...turn,
        approvals: [...turn.approvals, event.approval],
        calls: change(event.approval.callId, { state: "waits" }),
      };
    case "handoff":
      return {
        ...turn,
        parts: [...parts, { kind: "note", text: `${event.from} hands over to ${event.to}` }],
      };
    case "usage":
      return { ...turn, tokens: event.tokens };
    case "failed":
      return {
        ...turn,
        trouble: event.message,
        ...(event.runId === undefined ? {} : { runId: event.runId }),
      };
    case "done":
      return {
        ...turn,
        runId: event.runId,
        status: event.status,
        tokens: event.tokens,
        ...(event.status === "cancelled" ? { trouble: "Stopped." } : {}),
      };
  }
};
