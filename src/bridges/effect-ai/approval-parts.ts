import * as Prompt from "effect/ai/Prompt";
import type { FoundResult } from "../note-results.ts";
import type { FrameworkRequest } from "../settle-requests.ts";

/** A request for approval whose call has no result yet. */
export interface OpenRequest extends FrameworkRequest {
  readonly approvalId: string;
  /** Whoever writes the prompt may have added further requests for the same call. */
  readonly approvalIds: readonly string[];
}

type Message = Prompt.Prompt["content"][number];

const partsOf = ({ role, content }: Message) => (role === "assistant" || role === "tool" ? content : []);

/** Whatever results the model is shown, of whichever tools. */
export const resultsIn = (messages: readonly Message[]): readonly FoundResult[] =>
  messages
    .flatMap((message) => [...partsOf(message)])
    .flatMap((part) => (part.type === "tool-result" ? [{ callId: part.id, tool: part.name }] : []));

/** The requests of a prompt that are still open. Of several answers to one call the first is read. */
export const openRequests = ({ content }: Prompt.Prompt): readonly OpenRequest[] => {
  const parts = content.flatMap((message) => [...partsOf(message)]);
  const settled = new Set(resultsIn(content).map(({ callId }) => callId));
  const calls = new Map(
    parts.flatMap((part) => (part.type === "tool-call" && !part.providerExecuted ? [[part.id, part]] : [])),
  );
  const requests = parts.filter((part) => part.type === "tool-approval-request");
  const responses = parts.filter((part) => part.type === "tool-approval-response");
  return [...new Set(requests.map(({ toolCallId }) => toolCallId))].flatMap((callId) => {
    const call = calls.get(callId);
    if (call === undefined || settled.has(callId)) return [];
    const own = requests.filter(({ toolCallId }) => toolCallId === callId);
    const approvalIds = own.map(({ approvalId }) => approvalId);
    const response = responses.find(({ approvalId }) => approvalIds.includes(approvalId));
    const raw = { id: call.id, tool: call.name, input: call.params };
    return [{ approvalId: response?.approvalId ?? approvalIds[0]!, approvalIds, call: raw, response }];
  });
};

/** The prompt with these answers to its open requests, and no others. */
export const withAnswers = (
  { content }: Prompt.Prompt,
  open: readonly OpenRequest[],
  answers: readonly Prompt.ToolApprovalResponsePart[],
): Prompt.Prompt => {
  const asked = new Set(open.flatMap(({ approvalIds }) => approvalIds));
  const kept = content.flatMap((message): readonly Message[] => {
    if (message.role !== "tool") return [message];
    const parts = message.content.filter(
      (part) => part.type !== "tool-approval-response" || !asked.has(part.approvalId),
    );
    if (parts.length === message.content.length) return [message];
    return parts.length === 0 ? [] : [Prompt.toolMessage({ content: parts, options: message.options })];
  });
  return Prompt.fromMessages(
    answers.length === 0 ? kept : [...kept, Prompt.toolMessage({ content: [...answers] })],
  );
};
