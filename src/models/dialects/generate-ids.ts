import type { Message } from "../../types/message.ts";

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
