import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import { isChatRun, isSessionRun } from "../../types/run-store.ts";
import { plainText } from "../screen.ts";

interface RunIdentity {
  readonly runId: string;
  readonly principal: Principal | undefined;
}

/** What a person calls the session or the chat that a run is, if it is one: only what drives it goes on with it. */
export const sessionLabel = ({ runId, principal }: RunIdentity): string | undefined => {
  const isChat = isChatRun(runId);
  if (!isChat && !isSessionRun(runId)) return undefined;
  const id = principal === undefined ? undefined : callerIdentityOf(principal).session;
  return `${isChat ? "chat" : "session"} "${plainText(id ?? runId)}"`;
};

/** Whether the caller of a run is of this session, be the run a session or an agent's. */
export const isRunOfSession = ({ principal }: RunIdentity, session: string): boolean =>
  principal !== undefined && callerIdentityOf(principal).session === session;
