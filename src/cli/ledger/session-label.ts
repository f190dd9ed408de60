import { callerIdentityOf, type Principal } from "../../types/principal.ts";
import { runKindOf } from "../../types/run-kinds.ts";
import { plainText } from "../screen.ts";

interface RunIdentity {
  readonly runId: string;
  readonly principal: Principal | undefined;
}

export const sessionLabel = ({ runId, principal }: RunIdentity): string | undefined => {
  const kind = runKindOf(runId);
  if (kind !== "chat" && kind !== "session") return undefined;
  const id = principal === undefined ? undefined : callerIdentityOf(principal).session;
  return `${kind} "${plainText(id ?? runId)}"`;
};

export const isRunOfSession = ({ principal }: RunIdentity, session: string): boolean =>
  principal !== undefined && callerIdentityOf(principal).session === session;
