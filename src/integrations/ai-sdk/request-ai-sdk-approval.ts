import type { ModelMessage } from "ai";
import type { Session } from "../../runtime/session.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import type { RawCall } from "../../types/call.ts";
import type { NoteResults } from "../note-results.ts";
import { findToolResults, isCallInMessages } from "./approval-parts.ts";

export const requestAiSdkApproval = async (
  session: Session,
  note: NoteResults,
  call: RawCall,
  messages: readonly ModelMessage[],
): Promise<ApprovalRequest | undefined> => {
  const notingResults = note(findToolResults(messages));
  if (notingResults !== undefined) await notingResults;
  // The AI SDK asks again about calls that the messages approve. A forged call must not create an approval
  // request.
  return isCallInMessages(messages, call) ? undefined : session.asks(call);
};
