import type { ModelMessage, ToolApprovalResponse, ToolModelMessage, ToolResultPart } from "ai";
import type { Session } from "../../runtime/session.ts";
import { checkIntegration } from "../check-integration.ts";
import type { IntegrationOptions, PausedCallRequest } from "../session-tools.ts";
import { type SyncedRequest, syncRequests } from "../settle-requests.ts";
import {
  createInterimResult,
  findOpenApprovals,
  isInterimResult,
  type OpenApproval,
} from "./approval-parts.ts";
import { toPlainOutput } from "./to-tools.ts";

/** Model messages that agree with the ledger. */
export interface SettledMessages {
  readonly messages: ModelMessage[];
  /** Calls that need an answer: with `haft approve`, or with an approval response if `answeredBy` is set. */
  readonly waiting: readonly PausedCallRequest[];
  /** Whether the messages can go to the model: no call of the last message is pending. */
  readonly isReady: boolean;
}

/**
 * Brings the approval parts of messages into agreement with the ledger. Answers in the ledger become approval
 * responses; a response in the messages is recorded if `answeredBy` is set and removed otherwise. If the
 * conversation continued while a call was pending, an approved call runs here. The given messages are not
 * changed.
 */
export const settleApprovals = async (
  session: Session,
  messages: readonly ModelMessage[],
  options: IntegrationOptions = {},
): Promise<SettledMessages> => {
  checkIntegration("settleApprovals", session, options);
  const { answeredBy } = options;
  const open = findOpenApprovals(messages);
  const settled = await syncRequests(session, open, answeredBy);
  const current: OpenApproval[] = [];
  const responses: ToolApprovalResponse[] = [];
  const results = new Map<number, ToolResultPart[]>();
  let isReady = true;
  for (const [index, request] of open.entries()) {
    const { answer, waiting } = settled[index]!;
    const { approvalId, earlierAt } = request;
    if (earlierAt !== undefined) {
      const result = await findResult(session, request, settled[index]!);
      if (result !== undefined) results.set(earlierAt, [...(results.get(earlierAt) ?? []), result]);
      continue;
    }
    current.push(request);
    if (waiting !== undefined) isReady = false;
    if (answer === undefined) continue;
    const { approved, reason } = answer;
    const said = reason === undefined ? { approved } : { approved, reason };
    responses.push({ type: "tool-approval-response", approvalId, ...said });
  }
  const waiting = settled.flatMap((each) => each.waiting ?? []);
  return { messages: withResults(withResponses(messages, current, responses), results), waiting, isReady };
};

const findResult = async (
  session: Session,
  { call }: OpenApproval,
  { answer, waiting }: SyncedRequest,
): Promise<ToolResultPart | undefined> => {
  if (waiting !== undefined) return createInterimResult(call);
  if (answer === undefined) return undefined;
  const part = { type: "tool-result", toolCallId: call.id, toolName: call.tool } as const;
  const { reason } = answer;
  if (!answer.approved)
    return { ...part, output: { type: "execution-denied", ...(reason === undefined ? {} : { reason }) } };
  const [reply] = await session.turn([call]);
  if (reply === undefined || reply.pending !== undefined) return createInterimResult(call);
  return {
    ...part,
    output: reply.ok ? toPlainOutput(reply.value) : { type: "error-text", value: reply.text },
  };
};

/** The AI SDK reads approval responses in the last message only. */
const withResponses = (
  messages: readonly ModelMessage[],
  open: readonly OpenApproval[],
  responses: readonly ToolApprovalResponse[],
): ModelMessage[] => {
  const last = messages.at(-1);
  if (open.length === 0) return [...messages];
  const requestedIds = new Set(open.flatMap(({ approvalIds }) => approvalIds));
  const earlier = last?.role === "tool" ? messages.slice(0, -1) : messages;
  const kept = last?.role === "tool" ? last.content.filter((part) => !isResponseTo(requestedIds, part)) : [];
  const content = [...kept, ...responses];
  if (content.length === 0) return [...earlier];
  return [...earlier, { ...(last?.role === "tool" ? last : {}), role: "tool", content }];
};

const isResponseTo = (
  requestedIds: ReadonlySet<string>,
  part: ToolModelMessage["content"][number],
): boolean => part.type === "tool-approval-response" && requestedIds.has(part.approvalId);

/** Providers require results directly after their calls. */
const withResults = (
  messages: readonly ModelMessage[],
  results: ReadonlyMap<number, readonly ToolResultPart[]>,
): ModelMessage[] =>
  messages.flatMap((message, at): ModelMessage[] => {
    const before = results.get(at - 1);
    const after = results.get(at);
    if (before !== undefined && message.role === "tool") {
      const kept = message.content.filter((part) => part.type !== "tool-result" || !isInterimResult(part));
      return [{ ...message, content: [...kept, ...before] }];
    }
    if (after === undefined || messages[at + 1]?.role === "tool") return [message];
    return [message, { role: "tool", content: [...after] }];
  });
