import type { Session } from "../runtime/session.ts";
import type { ApprovalDecision, ApprovalRecord } from "../types/approval.ts";
import type { RawCall } from "../types/call.ts";
import { ToolError } from "../types/errors.ts";
import type { Reply } from "../types/outcome.ts";
import { listSessionTools, type PausedCallRequest, toPausedCallRequest } from "./session-tools.ts";

export interface FrameworkAnswer {
  readonly approved: boolean;
  readonly reason?: string | undefined;
}

export interface FrameworkRequest {
  readonly call: RawCall;
  readonly response: FrameworkAnswer | undefined;
}

/** Has neither field if the request is not one of Haft. */
export interface SyncedRequest {
  readonly answer?: FrameworkAnswer;
  readonly waiting?: PausedCallRequest;
}

/**
 * Answers in the ledger take precedence. An answer in the messages is recorded if `by` is set and ignored
 * otherwise. An approval of a call that was never requested becomes a denial.
 */
export const syncRequests = async (
  session: Session,
  requests: readonly FrameworkRequest[],
  by: string | undefined,
): Promise<readonly SyncedRequest[]> => {
  const pendingApprovals = requests.length === 0 ? [] : await session.pending();
  const settled: SyncedRequest[] = [];
  for (const request of requests) settled.push(await settleRequest(session, request, pendingApprovals, by));
  return settled;
};

const settleRequest = async (
  session: Session,
  { call, response }: FrameworkRequest,
  pendingApprovals: readonly ApprovalRecord[],
  by: string | undefined,
): Promise<SyncedRequest> => {
  const callStatus = await session.stands(call);
  if (callStatus === "none") {
    if (response === undefined) return {};
    if (!response.approved || !isCallOfSession(session, call)) return { answer: response };
    return { answer: { approved: false, reason: notRequestedText(call.tool) } };
  }
  const approvalRecord = callStatus === "waiting" ? await session.asks(call) : undefined;
  if (approvalRecord !== undefined) {
    if (response === undefined || by === undefined) return { waiting: toPausedCallRequest(approvalRecord) };
    const reply = await recordAnswer(session, approvalRecord.id, decisionOf(response), { by });
    return { answer: reply === undefined ? { approved: true } : response };
  }
  const decision = pendingApprovals.findLast(({ callId }) => callId === call.id)?.decision;
  if (decision === undefined) return { answer: await findEarlierAnswer(session, call, response) };
  if (decision.kind !== "deny") return { answer: { approved: true } };
  // Frameworks do not repeat a denied call, so this turn records that the denial was reported.
  await session.turn([call]);
  return { answer: { approved: false, reason: decision.reason } };
};

const lateAnswerCodes: ReadonlySet<string> = new Set([
  "unknown_approval",
  "approval_expired",
  "approval_void",
]);

/** Undefined if the request is no longer open; a turn then reports the recorded answer. */
export const recordAnswer = async (
  session: Session,
  approvalId: string,
  decision: ApprovalDecision,
  { by, signal }: { readonly by: string; readonly signal?: AbortSignal | undefined },
): Promise<Reply | undefined> => {
  try {
    return await session.answer(approvalId, decision, { by, signal });
  } catch (error) {
    if (ToolError.is(error) && lateAnswerCodes.has(error.code)) return undefined;
    throw error;
  }
};

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

const isCallOfSession = (session: Session, { tool }: RawCall): boolean =>
  listSessionTools(session).some(({ name }) => name === tool);

export const notRequestedText = (tool: string): string =>
  `This call of "${tool}" has no approval request, so its approval has no effect. The call did not run.`;

export const stillWaitingText = (tool: string): string =>
  `The call of "${tool}" is pending approval and has not run. Do not repeat it.`;

const decisionOf = ({ approved, reason }: FrameworkAnswer): ApprovalDecision => {
  if (approved) return { kind: "allow" };
  return reason === undefined ? { kind: "deny" } : { kind: "deny", reason };
};

export interface ForeignResult {
  readonly callId: string;
  readonly tool: string;
}

/**
 * Results of other tools may be untrusted content. Each is noted once; returns undefined if nothing is new.
 */
export const createResultNoter = (session: Session): NoteResults => {
  const noted = new Set<string>();
  return (results) => {
    const fresh = results.filter((result) => !noted.has(resultKey(result)));
    if (fresh.length === 0) return undefined;
    const messages = fresh.map((each) => ({ role: "tool", content: "", ok: true, ...each }) as const);
    return session.note(messages).then(() => {
      for (const result of fresh) noted.add(resultKey(result));
    });
  };
};

/** Another tool may have the name of one of the session. */
const resultKey = ({ callId, tool }: ForeignResult): string => `${callId} ${tool}`;

export type NoteResults = (results: readonly ForeignResult[]) => Promise<void> | undefined;
