import type { ModelMessage, ToolApprovalResponse, ToolCallPart } from "ai";
import { hashInput } from "../../json/hash-input.ts";
import type { RawCall } from "../../words/call.ts";
import type { FoundResult } from "../note-results.ts";
import type { FrameworkRequest } from "../settle-requests.ts";

/** A request for approval whose call has no result yet, and what the last message says to it. */
export interface OpenRequest extends FrameworkRequest {
  readonly approvalId: string;
  /** A client may have added further requests for the same call. */
  readonly approvalIds: readonly string[];
  readonly response: ToolApprovalResponse | undefined;
}

/**
 * The requests in messages that are still open. Like the AI SDK we read answers in the last message alone, and of several
 * to one call the first.
 */
export const openRequests = (messages: readonly ModelMessage[]): readonly OpenRequest[] => {
  const calls = new Map<string, ToolCallPart>();
  const approvals = new Map<string, string>();
  const settled = new Set<string>();
  for (const { role, content } of messages) {
    if (typeof content === "string" || (role !== "assistant" && role !== "tool")) continue;
    for (const part of content) {
      if (part.type === "tool-call" && part.providerExecuted !== true) calls.set(part.toolCallId, part);
      if (part.type === "tool-approval-request") approvals.set(part.approvalId, part.toolCallId);
      if (part.type === "tool-result") settled.add(part.toolCallId);
    }
  }
  const responses = new Map<string, ToolApprovalResponse>();
  for (const response of responsesIn(messages.at(-1))) {
    const callId = approvals.get(response.approvalId);
    if (callId !== undefined && !responses.has(callId)) responses.set(callId, response);
  }
  return [...new Set(approvals.values())].flatMap((callId) => {
    const call = calls.get(callId);
    if (call === undefined || settled.has(callId)) return [];
    const approvalIds = [...approvals].flatMap(([approvalId, asked]) =>
      asked === callId ? [approvalId] : [],
    );
    const response = responses.get(callId);
    const approvalId = response?.approvalId ?? approvalIds[0]!;
    return [{ approvalId, approvalIds, call: toCall(call), response }];
  });
};

/**
 * Whether a call stands in the messages already, so that they make it and not the model: then only the ledger says whether
 * it was ever asked for, whatever else the messages say.
 */
export const isInMessages = (messages: readonly ModelMessage[], { id, tool, input }: RawCall): boolean =>
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

/** What the last message says to the question about one call, however often it is asked. */
export const responseTo = (
  messages: readonly ModelMessage[],
  callId: string,
): ToolApprovalResponse | undefined => {
  const ids = new Set<string>();
  for (const { content } of messages) {
    if (typeof content === "string") continue;
    for (const part of content)
      if (part.type === "tool-approval-request" && part.toolCallId === callId) ids.add(part.approvalId);
  }
  return responsesIn(messages.at(-1)).find(({ approvalId }) => ids.has(approvalId));
};

/** Whatever results the model is shown, of whichever tools. */
export const resultsIn = (messages: readonly ModelMessage[]): readonly FoundResult[] =>
  messages.flatMap(({ content }) =>
    typeof content === "string"
      ? []
      : content.flatMap((part) =>
          part.type === "tool-result" ? [{ callId: part.toolCallId, tool: part.toolName }] : [],
        ),
  );

const responsesIn = (message: ModelMessage | undefined): readonly ToolApprovalResponse[] =>
  message?.role === "tool" ? message.content.filter((part) => part.type === "tool-approval-response") : [];

const toCall = ({ toolCallId, toolName, input }: ToolCallPart): RawCall => ({
  id: toolCallId,
  tool: toolName,
  input,
});
