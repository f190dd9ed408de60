import {
  convertToModelMessages,
  getToolName,
  isToolUIPart,
  lastAssistantMessageIsCompleteWithApprovalResponses,
  lastAssistantMessageIsCompleteWithToolCalls,
  type ModelMessage,
  type ToolSet,
  type UIMessage,
  type UIMessageChunk,
} from "ai";
import type { Session } from "../../runtime/session.ts";
import type { RawCall } from "../../types/call.ts";
import type { Reply } from "../../types/outcome.ts";
import { checkIntegration } from "../check-integration.ts";
import type { IntegrationOptions, PausedCallRequest } from "../session-tools.ts";
import {
  type FrameworkAnswer,
  type FrameworkRequest,
  type SyncedRequest,
  stillWaitingText,
  syncRequests,
} from "../settle-requests.ts";

/** Options of `settleUIMessages`. */
export interface SettleChatOptions<Message extends UIMessage = UIMessage> extends IntegrationOptions {
  /**
   * A user message, or the assistant's message, of which only the approval responses are read. If missing, no
   * call runs.
   */
  readonly sent?: Message | undefined;
  /** The tools of the loop. Their `toModelOutput` converts results for the model. */
  readonly tools?: ToolSet | undefined;
}

/** Chat messages that agree with the ledger. */
export interface SettledChat<Message extends UIMessage = UIMessage> {
  /** The messages to store and to show. `validateUIMessages` accepts them. */
  readonly messages: Message[];
  /** The messages for the model. A pending call has a result that says so. */
  readonly modelMessages: ModelMessage[];
  /** Calls that need an answer: with `haft approve`, or on the page if `answeredBy` is set. */
  readonly waiting: readonly PausedCallRequest[];
  /** Whether the model has something to answer: a user message or results of its calls. */
  readonly isReady: boolean;
  /** Changes of the continued assistant message that the page does not have yet. Write them first. */
  readonly chunks: readonly UIMessageChunk[];
}

/**
 * Brings the stored messages of `useChat` into agreement with the ledger. Answers from the page are recorded
 * if `answeredBy` is set. An approved call of the last step is left to `streamText`; an earlier one runs
 * here. The given messages are not changed.
 */
export const settleUIMessages = async <Message extends UIMessage>(
  session: Session,
  storedMessages: readonly Message[],
  options: SettleChatOptions<Message> = {},
): Promise<SettledChat<Message>> => {
  checkIntegration("settleUIMessages", session, options, ["sent", "answeredBy", "tools"]);
  const { sent, answeredBy, tools } = options;
  const received = sent === undefined ? storedMessages : applySentMessage(storedMessages, sent);
  const open = received.flatMap(openToolPartsOf);
  const settled = await syncRequests(session, open.map(toFrameworkRequest), answeredBy);
  const next = new Map<string, UIToolPart>();
  for (const [index, part] of open.entries()) {
    const isLast = isInLastStep(received, part);
    next.set(part.toolCallId, await settlePart(session, part, settled[index]!, isLast || sent === undefined));
  }
  const messages = mapParts(received, (part) => next.get(part.toolCallId));

  const continued = sent?.role === "assistant" ? sent.id : messages.at(-1)?.id;
  const message = messages.find(({ id, role }) => id === continued && role === "assistant");
  const settledCallIds = open.map(({ toolCallId }) => toolCallId);
  const isOfLast = message === undefined || message === messages.at(-1);
  const isReady = sent !== undefined && isOfLast && hasWork(messages);
  return {
    messages,
    modelMessages: isReady ? await toModelMessages(messages, tools) : [],
    waiting: settled.flatMap((each) => each.waiting ?? []),
    isReady,
    chunks: (message?.parts ?? []).flatMap((part) =>
      "toolCallId" in part && settledCallIds.includes(part.toolCallId) ? approvalChunksOf(part) : [],
    ),
  };
};

type UIToolPart = Extract<UIMessage["parts"][number], { toolCallId: string }>;

type OpenToolPart = UIToolPart & { readonly state: "approval-requested" | "approval-responded" };

const isOpenToolPart = (part: UIMessage["parts"][number]): part is OpenToolPart =>
  isToolUIPart(part) &&
  part.providerExecuted !== true &&
  (part.state === "approval-requested" || part.state === "approval-responded");

const openToolPartsOf = ({ role, parts }: UIMessage): readonly OpenToolPart[] =>
  role === "assistant" ? parts.filter(isOpenToolPart) : [];

const rawCallOfPart = (part: UIToolPart): RawCall => ({
  id: part.toolCallId,
  tool: getToolName(part),
  input: part.input,
});

const toFrameworkRequest = (part: OpenToolPart): FrameworkRequest => ({
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

const toWaitingPart = (part: OpenToolPart): UIToolPart =>
  ({ ...part, state: "approval-requested", approval: approvalRequestOfPart(part) }) as UIToolPart;

const toAnsweredPart = (part: OpenToolPart, { approved, reason }: FrameworkAnswer): UIToolPart =>
  ({
    ...part,
    state: "approval-responded",
    approval: answeredApproval(part, approved, reason),
  }) as UIToolPart;

const toDeniedPart = (part: OpenToolPart, { reason }: FrameworkAnswer): UIToolPart =>
  ({ ...part, state: "output-denied", approval: answeredApproval(part, false, reason) }) as UIToolPart;

const toFinishedPart = (part: OpenToolPart, { reason }: FrameworkAnswer, reply: Reply): UIToolPart => {
  const approval = answeredApproval(part, true, reason);
  return (
    reply.ok
      ? { ...part, state: "output-available", approval, output: reply.value ?? null }
      : { ...part, state: "output-error", approval, errorText: reply.text }
  ) as UIToolPart;
};

const toUnansweredPart = (part: OpenToolPart): UIToolPart => {
  const { approval: _, ...call } = part;
  return { ...call, state: "output-error", errorText: stillWaitingText(getToolName(part)) } as UIToolPart;
};

const approvalChunksOf = (part: UIToolPart): readonly UIMessageChunk[] => {
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

/**
 * Of an assistant's message only the approval responses count, because the page may have changed the rest.
 */
const applySentMessage = <Message extends UIMessage>(
  storedMessages: readonly Message[],
  sent: Message,
): readonly Message[] => {
  if (sent.role === "user")
    return storedMessages.some(({ id }) => id === sent.id) ? storedMessages : [...storedMessages, sent];
  const answers = new Map(
    openToolPartsOf(sent).flatMap((part) =>
      part.state === "approval-responded" ? [[part.approval.id, part.approval]] : [],
    ),
  );
  return mapParts(storedMessages, (part) => {
    const answer =
      isOpenToolPart(part) && part.state === "approval-requested" && answers.get(part.approval.id);
    return answer ? toAnsweredPart(part, answer) : undefined;
  });
};

const settlePart = async (
  session: Session,
  part: OpenToolPart,
  { answer, waiting }: SyncedRequest,
  isLeftToLoop: boolean,
): Promise<UIToolPart> => {
  if (waiting !== undefined) return toWaitingPart(part);
  if (answer === undefined) return part;
  if (isLeftToLoop) return toAnsweredPart(part, answer);
  if (!answer.approved) return toDeniedPart(part, answer);
  const [reply] = await session.turn([rawCallOfPart(part)]);
  return reply === undefined || reply.pending !== undefined
    ? toWaitingPart(part)
    : toFinishedPart(part, answer, reply);
};

const isInLastStep = (messages: readonly UIMessage[], part: OpenToolPart): boolean => {
  const { parts = [] } = messages.at(-1) ?? {};
  return parts.indexOf(part) > parts.findLastIndex(({ type }) => type === "step-start");
};

const hasWork = (messages: UIMessage[]): boolean =>
  messages.at(-1)?.role === "user" ||
  lastAssistantMessageIsCompleteWithApprovalResponses({ messages }) ||
  lastAssistantMessageIsCompleteWithToolCalls({ messages });

const toModelMessages = (
  messages: readonly UIMessage[],
  tools: ToolSet | undefined,
): Promise<ModelMessage[]> =>
  convertToModelMessages(
    mapParts(messages, (part) =>
      isOpenToolPart(part) && part.state === "approval-requested" ? toUnansweredPart(part) : undefined,
    ),
    tools === undefined ? {} : { tools },
  );

const mapParts = <Message extends UIMessage>(
  messages: readonly Message[],
  replace: (part: UIToolPart) => UIToolPart | undefined,
): Message[] =>
  messages.map((message) => ({
    ...message,
    parts: message.parts.map((part) => ("toolCallId" in part ? (replace(part) ?? part) : part)),
  }));
