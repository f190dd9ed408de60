import { type Principal, partyOf } from "../../words/principal.ts";
import { isChatRun, isSessionRun } from "../../words/run-book.ts";
import { plain } from "../screen.ts";

interface OfRun {
  readonly runId: string;
  readonly principal: Principal | undefined;
}

/** What a person calls the session or the chat that a run is, if it is one: only what drives it goes on with it. */
export const sessionOf = ({ runId, principal }: OfRun): string | undefined => {
  const isChat = isChatRun(runId);
  if (!isChat && !isSessionRun(runId)) return undefined;
  const id = principal === undefined ? undefined : partyOf(principal).session;
  return `${isChat ? "chat" : "session"} "${plain(id ?? runId)}"`;
};

/** Whether the caller of a run is of this session, be the run a session or an agent's. */
export const isOfSession = ({ principal }: OfRun, session: string): boolean =>
  principal !== undefined && partyOf(principal).session === session;
