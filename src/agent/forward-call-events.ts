import type { AgentEvent } from "../words/agent.ts";
import type { EventBus } from "../words/event.ts";

/** Tells what becomes of one run's calls while it becomes. Gives back how to stop listening. */
export const tellCalls = (
  events: EventBus,
  runId: string,
  tell: (event: AgentEvent) => void,
): (() => void) => {
  const ours =
    <Event extends { readonly runId: string }>(hear: (event: Event) => void) =>
    (event: Event) => {
      if (event.runId === runId) hear(event);
    };
  const off = [
    events.on(
      "tools.started",
      ours(({ callId, toolName: tool }) => tell({ kind: "call-start", callId, tool })),
    ),
    events.on(
      "tools.progress",
      ours(({ callId, toolName: tool, update }) => tell({ kind: "call-progress", callId, tool, update })),
    ),
    events.on(
      "tools.executed",
      ours(({ callId, toolName: tool, executionTimeMs: durationMs }) =>
        tell({ kind: "call-end", callId, tool, ok: true, durationMs }),
      ),
    ),
    events.on(
      "tools.failed",
      ours(({ callId, toolName: tool, executionTimeMs: durationMs, message: error }) =>
        tell({ kind: "call-end", callId, tool, ok: false, durationMs, error }),
      ),
    ),
    events.on(
      "tools.pending",
      ours(({ approval: request }) => tell({ kind: "approval", request })),
    ),
  ];
  return () => {
    for (const each of off) each();
  };
};
