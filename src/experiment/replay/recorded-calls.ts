import type { RawCall } from "../../words/call.ts";
import type { Message, ToolMessage } from "../../words/message.ts";

/** A call as a run made it, and what its model was told. */
export interface RecordedCall {
  readonly call: RawCall;
  readonly agent: string | undefined;
  /** Missing where the process died before there was an answer. */
  readonly answer: ToolMessage | undefined;
}

/**
 * The calls that a run made itself, in the order of its conversation. What it was given to go on with was called by
 * others, and what the provider ran was never ours.
 */
export const recordedCalls = (messages: readonly Message[], given: number): readonly RecordedCall[] => {
  const answers = new Map<string, ToolMessage>();
  for (const message of messages) if (message.role === "tool") answers.set(message.callId, message);
  return messages.slice(given).flatMap((message): readonly RecordedCall[] => {
    if (message.role !== "assistant") return [];
    return (message.calls ?? [])
      .filter((call) => call.providerExecuted !== true && call.repeats === undefined)
      .map((call) => ({ call, agent: message.agent, answer: answers.get(call.id) }));
  });
};
