import * as Prompt from "effect/ai/Prompt";
import { isObject } from "../../base/json/json-value.ts";
import type { RawCall } from "../../types/call.ts";
import { type ForeignResult, type FrameworkRequest, stillWaitingText } from "../settle-requests.ts";

export interface OpenPromptApproval extends FrameworkRequest {
  readonly approvalId: string;
  /** The author of the prompt may have added requests for the same call. */
  readonly approvalIds: readonly string[];
  /** Index of the message with the call, if the conversation continued after it. */
  readonly earlierAt: number | undefined;
}

type PromptMessage = Prompt.Prompt["content"][number];

const partsOf = ({ role, content }: PromptMessage) =>
  role === "assistant" || role === "tool" ? content : [];

export const findPromptResults = (messages: readonly PromptMessage[]): readonly ForeignResult[] =>
  messages
    .flatMap((message) => [...partsOf(message)])
    .flatMap((part) => (part.type === "tool-result" ? [{ callId: part.id, tool: part.name }] : []));

/** Of several responses for one call the first one counts. */
export const findOpenPromptApprovals = ({ content }: Prompt.Prompt): readonly OpenPromptApproval[] => {
  const parts = content.flatMap((message) => [...partsOf(message)]);
  const settled = new Set(
    parts.flatMap((part) => (part.type === "tool-result" && !isInterimPromptResult(part) ? [part.id] : [])),
  );
  const lastAt = content.findLastIndex(({ role }) => role !== "tool");
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
    const at = content.findIndex((message) => partsOf(message).some((part) => part === call));
    return [
      {
        approvalId: response?.approvalId ?? approvalIds[0]!,
        approvalIds,
        call: raw,
        response,
        earlierAt: at < lastAt ? at : undefined,
      },
    ];
  });
};

export const withPromptAnswers = (
  { content }: Prompt.Prompt,
  open: readonly OpenPromptApproval[],
  answers: readonly Prompt.ToolApprovalResponsePart[],
): Prompt.Prompt => {
  const requestedIds = new Set(open.flatMap(({ approvalIds }) => approvalIds));
  const kept = content.flatMap((message): readonly PromptMessage[] => {
    if (message.role !== "tool") return [message];
    const parts = message.content.filter(
      (part) => part.type !== "tool-approval-response" || !requestedIds.has(part.approvalId),
    );
    if (parts.length === message.content.length) return [message];
    return parts.length === 0 ? [] : [Prompt.toolMessage({ content: parts, options: message.options })];
  });
  return Prompt.fromMessages(
    answers.length === 0 ? kept : [...kept, Prompt.toolMessage({ content: [...answers] })],
  );
};

const interimPartOptions = { haft: { interim: true } };

export const createInterimPromptResult = ({ id, tool }: RawCall): Prompt.ToolResultPart =>
  Prompt.toolResultPart({
    id,
    name: tool,
    isFailure: true,
    result: stillWaitingText(tool),
    providerExecuted: false,
    options: interimPartOptions,
  });

const isInterimPromptResult = ({ options }: Prompt.ToolResultPart): boolean =>
  isObject(options.haft) && options.haft.interim === true;

/** Providers require results directly after their calls. */
export const withPromptResults = (
  { content }: Prompt.Prompt,
  results: ReadonlyMap<number, readonly Prompt.ToolResultPart[]>,
): Prompt.Prompt =>
  Prompt.fromMessages(
    content.flatMap((message, at): readonly PromptMessage[] => {
      const before = results.get(at - 1);
      const after = results.get(at);
      if (before !== undefined && message.role === "tool") {
        const kept = message.content.filter(
          (part) => part.type !== "tool-result" || !isInterimPromptResult(part),
        );
        return [Prompt.toolMessage({ content: [...kept, ...before], options: message.options })];
      }
      if (after === undefined || content[at + 1]?.role === "tool") return [message];
      return [message, Prompt.toolMessage({ content: [...after] })];
    }),
  );
