import type { Session } from "../runtime/session.ts";

/** A result that stands in a framework's messages. */
export interface ForeignResult {
  readonly callId: string;
  readonly tool: string;
}

/**
 * Tells a session what its model has read: results of other tools in the same conversation may be words from outside.
 * A result that was told of once is not told of again; where there is nothing new, nobody has to wait.
 */
export const createResultNoter = (session: Session): NoteResults => {
  const noted = new Set<string>();
  return (results) => {
    const fresh = results.filter((result) => !noted.has(resultKey(result)));
    if (fresh.length === 0) return undefined;
    const messages = fresh.map((each) => ({ role: "tool", content: "", ok: true, ...each }) as const);
    return session.note(messages).then(() => {
      for (const result of fresh) noted.add(resultKey(result));
    });
  };
};

/** Not by its tool alone: one of a session's own may have the name of somebody else's. */
const resultKey = ({ callId, tool }: ForeignResult): string => `${callId} ${tool}`;

/** Gives what must be waited for, if anything must. */
export type NoteResults = (results: readonly ForeignResult[]) => Promise<void> | undefined;
