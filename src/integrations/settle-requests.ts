import type { Session } from "../runtime/session.ts";
import type { ApprovalDecision, ApprovalRecord } from "../types/approval.ts";
import type { RawCall } from "../types/call.ts";
import { recordFrameworkAnswer } from "./record-framework-answer.ts";
import { listSessionTools, type PausedCallRequest, toPausedCallRequest } from "./session-tools.ts";

/** An approval or a refusal in a framework's messages. */
export interface FrameworkAnswer {
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/** A request for approval in a framework's messages whose call has no result yet. */
export interface FrameworkRequest {
  readonly call: RawCall;
  readonly response: FrameworkAnswer | undefined;
}

/** What the messages must say about a request: an answer, or that it waits. Without both it is not a request of Haft. */
export interface SettledRequest {
  readonly answer?: FrameworkAnswer;
  readonly waiting?: PausedCallRequest;
}

/**
 * Brings requests and the ledger to the same state. Answers in the ledger take precedence. An answer in the messages is
 * recorded if `by` is set, and ignored otherwise. An approval of a call that was never requested becomes a refusal.
 */
export const settleRequests = async (
  session: Session,
  requests: readonly FrameworkRequest[],
  by: string | undefined,
): Promise<readonly SettledRequest[]> => {
  const pendingApprovals = requests.length === 0 ? [] : await session.pending();
  const settled: SettledRequest[] = [];
  for (const request of requests) settled.push(await settleRequest(session, request, pendingApprovals, by));
  return settled;
};

const settleRequest = async (
  session: Session,
  { call, response }: FrameworkRequest,
  pendingApprovals: readonly ApprovalRecord[],
  by: string | undefined,
): Promise<SettledRequest> => {
  const callStatus = await session.stands(call);
  if (callStatus === "none") {
    if (response === undefined) return {};
    if (!response.approved || !isCallOfSession(session, call)) return { answer: response };
    return { answer: { approved: false, reason: notRequestedText(call.tool) } };
  }
  const approvalRecord = callStatus === "waiting" ? await session.asks(call) : undefined;
  if (approvalRecord !== undefined) {
    if (response === undefined || by === undefined) return { waiting: toPausedCallRequest(approvalRecord) };
    const reply = await recordFrameworkAnswer(session, approvalRecord.id, decisionOf(response), { by });
    return { answer: reply === undefined ? { approved: true } : response };
  }
  const decision = pendingApprovals.findLast(({ callId }) => callId === call.id)?.decision;
  if (decision === undefined) return { answer: await findEarlierAnswer(session, call, response) };
  if (decision.kind !== "deny") return { answer: { approved: true } };
  // Frameworks do not request a refused call again, so the ledger records here that the refusal was reported.
  await session.turn([call]);
  return { answer: { approved: false, reason: decision.reason } };
};

/** The answer to a call that was already continued, of which the session lists no approval any more. */
const findEarlierAnswer = async (
  session: Session,
  call: RawCall,
  response: FrameworkAnswer | undefined,
): Promise<FrameworkAnswer> => {
  if (response !== undefined) return response;
  const [reply] = await session.turn([call]);
  if (reply?.failure?.code !== "approval_denied") return { approved: true };
  return { approved: false, reason: reply.failure.message };
};

/** Requests about other tools of the same loop are the framework's. */
const isCallOfSession = (session: Session, { tool }: RawCall): boolean =>
  listSessionTools(session).some(({ name }) => name === tool);

/** What a model reads about an approval that is not valid. */
export const notRequestedText = (tool: string): string =>
  `Nobody was asked about this call of "${tool}", so a yes to it counts for nothing. It was not made.`;

/** What a model reads about a call that requires approval while the conversation continues. */
export const stillWaitingText = (tool: string): string =>
  `The call of "${tool}" waits for approval and has not run. Do not repeat it.`;

const decisionOf = ({ approved, reason }: FrameworkAnswer): ApprovalDecision => {
  if (approved) return { kind: "allow" };
  return reason === undefined ? { kind: "deny" } : { kind: "deny", reason };
};
