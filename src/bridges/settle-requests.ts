import type { Session } from "../runtime/session.ts";
import type { ApprovalDecision, ApprovalRecord } from "../words/approval.ts";
import type { RawCall } from "../words/call.ts";
import { answerQuestion } from "./answer-question.ts";
import { type PausedCallQuestion, toPausedQuestion } from "./bridged-tool.ts";

/** A yes or a no, as a framework's messages have it. */
interface FrameworkAnswer {
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

/** A request for approval in a framework's messages whose call has no result yet. */
export interface FrameworkRequest {
  readonly call: RawCall;
  readonly response: FrameworkAnswer | undefined;
}

/** What the messages are to say of it: an answer, or nothing while it waits. Without both, it is no question of Haft's. */
interface SettledRequest {
  readonly answer?: FrameworkAnswer;
  readonly waiting?: PausedCallQuestion;
}

/**
 * Brings requests and the ledger to the same state. The ledger's answers hold; one of the messages is put on record if
 * somebody stands for it, and counts for nothing otherwise. A yes to a call that nobody asked about is a no.
 */
export const settleRequests = async (
  session: Session,
  requests: readonly FrameworkRequest[],
  by: string | undefined,
): Promise<readonly SettledRequest[]> => {
  const known = requests.length === 0 ? [] : await session.pending();
  const settled: SettledRequest[] = [];
  for (const request of requests) settled.push(await settle(session, request, known, by));
  return settled;
};

const settle = async (
  session: Session,
  { call, response }: FrameworkRequest,
  known: readonly ApprovalRecord[],
  by: string | undefined,
): Promise<SettledRequest> => {
  const standing = await session.stands(call);
  if (standing === "none") {
    if (response?.approved !== true) return response === undefined ? {} : { answer: response };
    return { answer: { approved: false, reason: nobodyAsked(call.tool) } };
  }
  const question = standing === "waiting" ? await session.asks(call) : undefined;
  if (question !== undefined) {
    if (response === undefined || by === undefined) return { waiting: toPausedQuestion(question) };
    const reply = await answerQuestion(session, question.id, decisionOf(response), { by });
    return { answer: reply === undefined ? { approved: true } : response };
  }
  const decision = known.findLast(({ callId }) => callId === call.id)?.decision;
  if (decision?.kind !== "deny") return { answer: { approved: true } };
  // Frameworks ask for no call that was refused; the ledger is to know that it was told.
  await session.turn([call]);
  return { answer: { approved: false, reason: decision.reason } };
};

/** What a model is told of a yes that counts for nothing. */
export const nobodyAsked = (tool: string): string =>
  `Nobody was asked about this call of "${tool}", so a yes to it counts for nothing. It was not made.`;

const decisionOf = ({ approved, reason }: FrameworkAnswer): ApprovalDecision => {
  if (approved) return { kind: "allow" };
  return reason === undefined ? { kind: "deny" } : { kind: "deny", reason };
};
