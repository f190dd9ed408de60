import type { AgentEvent } from "../types/agent.ts";
import type { EventBus } from "../types/event.ts";

export const forwardCallEvents = (
  events: EventBus,
  runId: string,
  emit: (event: AgentEvent) => void,
): (() => void) => {
  const ours =
    <Event extends { readonly runId: string }>(listener: (event: Event) => void) =>
    (event: Event) => {
      if (event.runId === runId) listener(event);
    };
  const off = [
    events.on(
      "tools.started",
      ours(({ callId, toolName: tool }) => emit({ kind: "call-start", callId, tool })),
    ),
    events.on(
      "tools.progress",
      ours(({ callId, toolName: tool, update }) => emit({ kind: "call-progress", callId, tool, update })),
    ),
    events.on(
      "tools.executed",
      ours(({ callId, toolName: tool, executionTimeMs: durationMs }) =>
        emit({ kind: "call-end", callId, tool, ok: true, durationMs }),
      ),
    ),
    events.on(
      "tools.failed",
      ours(({ callId, toolName: tool, executionTimeMs: durationMs, message: error }) =>
        emit({ kind: "call-end", callId, tool, ok: false, durationMs, error }),
      ),
    ),
    events.on(
      "tools.pending",
      ours(({ approval: request }) => emit({ kind: "approval", request })),
    ),
  ];
  return () => {
    for (const each of off) each();
  };
};
