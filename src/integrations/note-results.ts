import type { Session } from "../runtime/session.ts";

export interface ForeignResult {
  readonly callId: string;
  readonly tool: string;
}

/**
 * Results of other tools may be untrusted content. Each is noted once; returns undefined if nothing is new.
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

/** Another tool may have the name of one of the session. */
const resultKey = ({ callId, tool }: ForeignResult): string => `${callId} ${tool}`;

export type NoteResults = (results: readonly ForeignResult[]) => Promise<void> | undefined;
