import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import { isChatRun, isSessionRun } from "../../types/run-store.ts";
import { plainText } from "../screen.ts";

interface RunIdentity {
  readonly runId: string;
  readonly principal: Principal | undefined;
}

export const sessionLabel = ({ runId, principal }: RunIdentity): string | undefined => {
  const isChat = isChatRun(runId);
  if (!isChat && !isSessionRun(runId)) return undefined;
  const id = principal === undefined ? undefined : callerIdentityOf(principal).session;
  return `${isChat ? "chat" : "session"} "${plainText(id ?? runId)}"`;
};

export const isRunOfSession = ({ principal }: RunIdentity, session: string): boolean =>
  principal !== undefined && callerIdentityOf(principal).session === session;
