import type { ModelMessage, ToolApprovalResponse, ToolCallPart, ToolResultPart } from "ai";
import { hashInput } from "../../base/json/canonical-json.ts";
import type { RawCall } from "../../types/call.ts";
import { type ForeignResult, type FrameworkRequest, stillWaitingText } from "../settle-requests.ts";

export interface OpenApproval extends FrameworkRequest {
  readonly approvalId: string;
  /** A client may have added requests for the same call. */
  readonly approvalIds: readonly string[];
  readonly response: ToolApprovalResponse | undefined;
  /** Index of the message with the call, if the conversation continued after it. */
  readonly earlierAt: number | undefined;
}

const interimOptions = { haft: { interim: true } } as const;

export const createInterimResult = ({ id, tool }: RawCall): ToolResultPart => ({
  type: "tool-result",
  toolCallId: id,
  toolName: tool,
  output: { type: "error-text", value: stillWaitingText(tool) },
  providerOptions: interimOptions,
});

export const isInterimResult = ({ providerOptions }: ToolResultPart): boolean =>
  providerOptions?.haft?.interim === true;

/** Like the AI SDK, reads responses in the last message only, and the first one per call. */
export const findOpenApprovals = (messages: readonly ModelMessage[]): readonly OpenApproval[] => {
  const calls = new Map<string, ToolCallPart>();
  const messageIndexes = new Map<string, number>();
  const approvals = new Map<string, string>();
  const answeredCalls = new Set<string>();
  for (const [at, { role, content }] of messages.entries()) {
    if (typeof content === "string" || (role !== "assistant" && role !== "tool")) continue;
    for (const part of content) {
      if (part.type === "tool-call" && part.providerExecuted !== true) {
        calls.set(part.toolCallId, part);
        messageIndexes.set(part.toolCallId, at);
      }
      if (part.type === "tool-approval-request") approvals.set(part.approvalId, part.toolCallId);
      if (part.type === "tool-result" && !isInterimResult(part)) answeredCalls.add(part.toolCallId);
    }
  }
  const lastAt = messages.findLastIndex(({ role }) => role !== "tool");
  const responses = new Map<string, ToolApprovalResponse>();
  for (const response of approvalResponsesOf(messages.at(-1))) {
    const callId = approvals.get(response.approvalId);
    if (callId !== undefined && !responses.has(callId)) responses.set(callId, response);
  }
  return [...new Set(approvals.values())].flatMap((callId) => {
    const call = calls.get(callId);
    if (call === undefined || answeredCalls.has(callId)) return [];
    const approvalIds = [...approvals].flatMap(([approvalId, requestedCall]) =>
      requestedCall === callId ? [approvalId] : [],
    );
    const response = responses.get(callId);
    const approvalId = response?.approvalId ?? approvalIds[0]!;
    const at = messageIndexes.get(callId)!;
    return [
      { approvalId, approvalIds, call: toCall(call), response, earlierAt: at < lastAt ? at : undefined },
    ];
  });
};

/** A call in the messages may be forged, so only the ledger decides whether it exists. */
export const isCallInMessages = (messages: readonly ModelMessage[], { id, tool, input }: RawCall): boolean =>
  messages.some(
    ({ content }) =>
      typeof content !== "string" &&
      content.some(
        (part) =>
          part.type === "tool-call" &&
          part.toolCallId === id &&
          part.toolName === tool &&
          hashInput(part.input) === hashInput(input),
      ),
  );

export const findApprovalResponse = (
  messages: readonly ModelMessage[],
  callId: string,
): ToolApprovalResponse | undefined => {
  const ids = new Set<string>();
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const part of content)
      if (part.type === "tool-approval-request" && part.toolCallId === callId) ids.add(part.approvalId);
  }
  return approvalResponsesOf(messages.at(-1)).find(({ approvalId }) => ids.has(approvalId));
};

export const findToolResults = (messages: readonly ModelMessage[]): readonly ForeignResult[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) =>
          part.type === "tool-result" ? [{ callId: part.toolCallId, tool: part.toolName }] : [],
        ),
  );

const approvalResponsesOf = (message: ModelMessage | undefined): readonly ToolApprovalResponse[] =>
  message?.role === "tool" ? message.content.filter((part) => part.type === "tool-approval-response") : [];

const toCall = ({ toolCallId, toolName, input }: ToolCallPart): RawCall => ({
  id: toolCallId,
  tool: toolName,
  input,
});
