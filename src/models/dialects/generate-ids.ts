import type { Message } from "../../types/message.ts";

const idPattern = (wire: string): RegExp => new RegExp(`^${wire}_call_(\\d{1,15})$`);

/** Whether `madeIds` gave it: the vendor has never seen it and is not to be told. */
export const isGeneratedId = (wire: string, id: string): boolean => idPattern(wire).test(id);

/**
 * Ids for the calls of a vendor that gives none. They count on from the highest in the conversation, so they
 * stay unique in it even when its beginning was cut away, and the same conversation gives the same ids.
 */
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
