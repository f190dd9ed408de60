import type { ApprovalDecision, ApprovalRecord } from "../../words/approval.ts";
import { partyOf } from "../../words/principal.ts";
import { shortId } from "../ledger/ids.ts";
import { Misuse } from "../misuse.ts";

/** A decision that could mean nothing, or more than was meant, is not written down. */
export const refuseUnfit = ({ id, input, principal }: ApprovalRecord, decision: ApprovalDecision): void => {
  if (decision.kind === "edit" && isObject(input) && !isObject(decision.input)) {
    throw new Misuse(
      `--edit takes an object, as the arguments of ${shortId(id)} are: '${JSON.stringify(input)}'.`,
    );
  }
  const isForSession = decision.kind === "allow" && decision.always === "session";
  if (isForSession && partyOf(principal).session === undefined) {
    throw new Misuse(
      `This caller has no session: answer ${shortId(id)} with --always run, or name a session with --session when it is started.`,
    );
  }
};

const isObject = (value: unknown): boolean =>
  typeof value === "object" && value !== null && !Array.isArray(value);
