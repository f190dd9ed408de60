import type { RunText } from "../types/lineage.ts";
import { correctionStart, type Message, textOf } from "../types/message.ts";

/**
 * The texts of a conversation. Only the first `given` messages and messages of a chat page are the user's: the
 * run adds others that ask the model to correct an answer.
 */
export const textsOfMessages = (
  messages: readonly Message[],
  {
    given = messages.length,
    isSource,
  }: { readonly given?: number; readonly isSource: (tool: string, index: number) => boolean },
): readonly RunText[] => {
  const inputs = new Map<string, unknown>();
  return messages.flatMap((message, index): readonly RunText[] => {
    if (message.role === "system") return [{ source: "application", text: message.content }];
    if (message.role === "user") {
      const text = textOf(message);
      const isOfUser = (index < given || message.id !== undefined) && !text.startsWith(correctionStart);
      return isOfUser ? [{ source: "user", text }] : [];
    }
    if (message.role === "assistant") {
      for (const { id, input } of message.calls ?? []) inputs.set(id, readInput(input));
      return [];
    }
    const { callId, tool, content, taints } = message;
    const isUntrusted = taints === undefined ? isSource(tool, index) : taints.length > 0;
    return [{ source: "result", text: content, tool, input: inputs.get(callId), isUntrusted }];
  });
};

const readInput = (input: unknown): unknown => {
  if (typeof input !== "string") return input;
  try {
    return JSON.parse(input);
  } catch {
    // What was looked up is unknown, as if a text had been the argument.
    return { input };
  }
};
