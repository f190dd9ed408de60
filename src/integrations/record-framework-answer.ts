import type { Session } from "../runtime/session.ts";
import type { ApprovalDecision } from "../types/approval.ts";
import { ToolError } from "../types/errors.ts";
import type { Reply } from "../types/reply.ts";

const lateAnswerCodes: ReadonlySet<string> = new Set([
  "unknown_approval",
  "approval_expired",
  "approval_void",
]);

/** Undefined if the request is no longer open; a turn then reports the recorded answer. */
export const recordAnswer = async (
  session: Session,
  approvalId: string,
  decision: ApprovalDecision,
  { by, signal }: { readonly by: string; readonly signal?: AbortSignal | undefined },
): Promise<Reply | undefined> => {
  try {
    return await session.answer(approvalId, decision, { by, signal });
  } catch (error) {
    if (ToolError.is(error) && lateAnswerCodes.has(error.code)) return undefined;
    throw error;
  }
};
