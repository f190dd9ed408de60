import type { Session } from "../../runtime/session.ts";

/** One part of what a model said. */
export interface SaidPart {
  readonly type: string;
  readonly id?: unknown;
  readonly toolCallId?: unknown;
  readonly toolName?: unknown;
  readonly providerExecuted?: unknown;
}

/** Notes a part that holds words from outside, and is done when the session knows. */
export type NoteWords = (part: SaidPart) => Promise<void>;

/**
 * What the provider's own tools said is in no message that the loop shows: results, sources that were found, and calls
 * whose results the provider keeps to itself.
 */
export const noteWordsOf = (session: Session): NoteWords => {
  const noted = new Set<string>();
  return async (part) => {
    const found = wordsIn(part);
    if (found === undefined || noted.has(found.tool)) return;
    const { callId, tool } = found;
    // Named outright: under the id of a call of the session's own it would count as that call's result.
    await session.note([{ role: "tool", callId, tool, content: "", ok: true, taints: [tool] }]);
    noted.add(tool);
  };
};

const wordsIn = ({
  type,
  id,
  toolCallId,
  toolName,
  providerExecuted,
}: SaidPart): { readonly callId: string; readonly tool: string } | undefined => {
  if (type === "source") return { callId: String(id ?? "source"), tool: "source" };
  if (type !== "tool-result" && !(type === "tool-call" && providerExecuted === true)) return undefined;
  return { callId: String(toolCallId), tool: String(toolName) };
};
