import { getToolName, isToolUIPart, type UIMessage, type UIMessageChunk } from "ai";
import type { RawCall } from "../../types/call.ts";
import type { Reply } from "../../types/reply.ts";
import { type FrameworkAnswer, type FrameworkRequest, stillWaitingText } from "../settle-requests.ts";

export type UIToolPart = Extract<UIMessage["parts"][number], { toolCallId: string }>;

export type OpenToolPart = UIToolPart & { readonly state: "approval-requested" | "approval-responded" };

export const isOpenToolPart = (part: UIMessage["parts"][number]): part is OpenToolPart =>
  isToolUIPart(part) &&
  part.providerExecuted !== true &&
  (part.state === "approval-requested" || part.state === "approval-responded");

export const openToolPartsOf = ({ role, parts }: UIMessage): readonly OpenToolPart[] =>
  role === "assistant" ? parts.filter(isOpenToolPart) : [];

export const rawCallOfPart = (part: UIToolPart): RawCall => ({
  id: part.toolCallId,
  tool: getToolName(part),
  input: part.input,
});

export const toFrameworkRequest = (part: OpenToolPart): FrameworkRequest => ({
  call: rawCallOfPart(part),
  response: part.state === "approval-responded" ? part.approval : undefined,
});

const approvalRequestOfPart = ({ approval: { approved: _, reason: __, ...request } }: OpenToolPart) =>
  request;

const answeredApproval = <const Approved extends boolean>(
  part: OpenToolPart,
  approved: Approved,
  reason: string | undefined,
) => ({ ...approvalRequestOfPart(part), approved, ...(reason === undefined ? {} : { reason }) });

export const toWaitingPart = (part: OpenToolPart): UIToolPart =>
  ({ ...part, state: "approval-requested", approval: approvalRequestOfPart(part) }) as UIToolPart;

export const toAnsweredPart = (part: OpenToolPart, { approved, reason }: FrameworkAnswer): UIToolPart =>
  ({
    ...part,
    state: "approval-responded",
    approval: answeredApproval(part, approved, reason),
  }) as UIToolPart;

export const toDeniedPart = (part: OpenToolPart, { reason }: FrameworkAnswer): UIToolPart =>
  ({ ...part, state: "output-denied", approval: answeredApproval(part, false, reason) }) as UIToolPart;

export const toFinishedPart = (part: OpenToolPart, { reason }: FrameworkAnswer, reply: Reply): UIToolPart => {
  const approval = answeredApproval(part, true, reason);
  return (
    reply.ok
      ? { ...part, state: "output-available", approval, output: reply.value ?? null }
      : { ...part, state: "output-error", approval, errorText: reply.text }
  ) as UIToolPart;
};

export const toUnansweredPart = (part: OpenToolPart): UIToolPart => {
  const { approval: _, ...call } = part;
  return { ...call, state: "output-error", errorText: stillWaitingText(getToolName(part)) } as UIToolPart;
};

export const approvalChunksOf = (part: UIToolPart): readonly UIMessageChunk[] => {
  const { toolCallId, approval } = part;
  if (approval === undefined) return [];
  const { id: approvalId, approved, reason, requestReason } = approval;
  if (approved === undefined)
    return [
      {
        type: "tool-approval-request",
        approvalId,
        toolCallId,
        ...(requestReason === undefined ? {} : { reason: requestReason }),
      },
    ];
  const said = reason === undefined ? {} : { reason };
  const response: UIMessageChunk = { type: "tool-approval-response", approvalId, approved, ...said };
  if (part.state === "output-available")
    return [response, { type: "tool-output-available", toolCallId, output: part.output }];
  if (part.state === "output-error")
    return [response, { type: "tool-output-error", toolCallId, errorText: part.errorText }];
  if (part.state === "output-denied") return [response, { type: "tool-output-denied", toolCallId }];
  return [response];
};
