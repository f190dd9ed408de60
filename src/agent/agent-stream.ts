import type { AgentEvent, AgentResponse } from "../types/agent.ts";

/** A streamed run. Ending the iteration cancels the run; `response` settles in any case. */
export interface AgentStream<Output = unknown> extends AsyncIterable<AgentEvent> {
  readonly response: Promise<AgentResponse<Output>>;
}

export const agentStream = <Output>(
  start: (tell: (event: AgentEvent) => void, signal: AbortSignal) => Promise<AgentResponse<Output>>,
  signal: AbortSignal | undefined,
): AgentStream<Output> => {
  const stopped = new AbortController();
  const waiting: AgentEvent[] = [];
  let wake: (() => void) | undefined;
  let isOver = false;
  const tell = (event: AgentEvent): void => {
    waiting.push(event);
    wake?.();
  };
  const either = signal === undefined ? stopped.signal : AbortSignal.any([signal, stopped.signal]);
  const response = start(tell, either).finally(() => {
    isOver = true;
    wake?.();
  });
  // Prevents an unhandled rejection if only the events are consumed.
  response.catch(() => {});

  const events = async function* (): AsyncGenerator<AgentEvent> {
    try {
      while (true) {
        const event = waiting.shift();
        if (event !== undefined) yield event;
        else if (isOver) break;
        else {
          await new Promise<void>((resolve) => {
            wake = resolve;
          });
        }
      }
      yield { kind: "done", response: await response };
    } finally {
      stopped.abort();
    }
  };
  return { response, [Symbol.asyncIterator]: events };
};
