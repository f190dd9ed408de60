import type { AssistantMessage, Message } from "../../types/message.ts";

/** Drops calls that a provider ran itself and replaces ids that this vendor does not accept. */
export const toVendorMessages = (messages: readonly Message[], takenId: RegExp): readonly Message[] => {
  const used = new Set<string>();
  /** Undefined for a dropped call. */
  let replies = new Map<string, (string | undefined)[]>();
  let made = 0;

  const idFor = (id: string): string => {
    let fresh = id;
    while (used.has(fresh) || !takenId.test(fresh)) fresh = `call_${++made}`;
    used.add(fresh);
    return fresh;
  };

  const assistantForVendor = (message: AssistantMessage): AssistantMessage => {
    replies = new Map();
    if (message.calls === undefined) return message;
    const calls = message.calls.flatMap((call) => {
      const id = call.providerExecuted === true ? undefined : idFor(call.id);
      replies.set(call.id, [...(replies.get(call.id) ?? []), id]);
      return id === undefined ? [] : [{ ...call, id }];
    });
    return { ...message, calls };
  };

  return messages.flatMap((message): readonly Message[] => {
    if (message.role === "assistant") return [assistantForVendor(message)];
    if (message.role !== "tool") return [message];
    const waiting = replies.get(message.callId);
    if (waiting === undefined || waiting.length === 0) return [message];
    const callId = waiting.shift();
    return callId === undefined ? [] : [{ ...message, callId }];
  });
};
