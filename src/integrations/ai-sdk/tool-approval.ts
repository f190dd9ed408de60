import type { ModelMessage } from "ai";
import type { Session } from "../../runtime/session.ts";
import type { ToolOrClass } from "../../tools/decorator.ts";
import type { ApprovalRequest } from "../../types/approval.ts";
import { checkIntegration } from "../check-integration.ts";
import { createResultNoter } from "../note-results.ts";
import { listSessionTools, type SessionToolTypes } from "../session-tools.ts";
import { requestAiSdkApproval } from "./request-ai-sdk-approval.ts";

/**
 * The content of the AI SDK's approval request. `useChat` shows the reason as `requestReason` of a message
 * part.
 */
export interface AiSdkApprovalStatus {
  readonly type: "user-approval";
  readonly reason: string;
}

/** The `toolApproval` setting of `generateText` and `streamText`, with one function per tool of a session. */
export type AiSdkToolApproval<All extends readonly ToolOrClass[]> = {
  readonly [Name in keyof SessionToolTypes<All>]: (
    input: SessionToolTypes<All>[Name]["input"],
    options: { readonly toolCallId: string; readonly messages: ModelMessage[] },
  ) => Promise<AiSdkApprovalStatus | undefined>;
};

/**
 * Creates the `toolApproval` setting, so that approval requests carry the reason and the id for `haft
 * approve`. AI SDK before 7.0.82 drops the reason.
 */
export const toolApproval = <const All extends readonly ToolOrClass[]>(
  session: Session<All>,
): AiSdkToolApproval<All> => {
  checkIntegration("toolApproval", session);
  const note = createResultNoter(session);
  const approvalOf =
    (tool: string) =>
    async (
      input: unknown,
      { toolCallId: id, messages }: { readonly toolCallId: string; readonly messages: ModelMessage[] },
    ): Promise<AiSdkApprovalStatus | undefined> => {
      const request = await requestAiSdkApproval(session, note, { id, tool, input }, messages);
      return request && { type: "user-approval", reason: toReason(request) };
    };
  return Object.fromEntries(
    listSessionTools(session).map(({ name }) => [name, approvalOf(name)]),
  ) as AiSdkToolApproval<All>;
};

/** The AI SDK's request has its own id, so the text also names the id in the ledger. */
const toReason = ({ reason, id }: ApprovalRequest): string => `${reason} (approval ${id})`;
