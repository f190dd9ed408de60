import type { RawCall } from "../../types/call.ts";
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

const idPattern = (wire: string): RegExp => new RegExp(`^${wire}_call_(\\d{1,15})$`);

/** Generated ids are not sent to the vendor. */
export const isGeneratedId = (wire: string, id: string): boolean => idPattern(wire).test(id);

/** Deterministic: counts on from the highest id in the conversation. */
export const generateIds = (wire: string, messages: readonly Message[]): (() => string) => {
  const pattern = idPattern(wire);
  let last = 0;
  for (const message of messages) {
    if (message.role !== "assistant") continue;
    for (const { id } of message.calls ?? []) last = Math.max(last, Number(pattern.exec(id)?.[1] ?? 0));
  }
  return () => {
    last += 1;
    return `${wire}_call_${last}`;
  };
};

export const callNamer = (wire: string, messages: readonly Message[]) => {
  const next = generateIds(wire, messages);
  const given = new Map<string, string>();
  return {
    /** Must be called before the calls of the same event are named. */
    wrote: (id: unknown): void => {
      if (typeof id === "string" && id !== "") given.set(id, id);
    },
    named: (call: RawCall): RawCall => {
      const id = given.get(call.id) ?? next();
      given.set(call.id, id);
      return { ...call, id };
    },
  };
};
