import type { RunContext, RunToolApprovalItem } from "@openai/agents";
import type { Session } from "../../runtime/session.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import type { RawCall } from "../../types/call.ts";
import { checkIntegration } from "../check-integration.ts";
import { type IntegrationOptions, type PausedCallRequest, toPausedCallRequest } from "../session-tools.ts";
import { recordAnswer } from "../settle-requests.ts";
import { sessionToolNameOf } from "./to-tools.ts";

/** The part of the SDK's RunState that settling needs, for any context and agent. */
export interface AgentsRunState {
  readonly _context: Pick<RunContext, "isToolApproved" | "getRejectionMessage">;
  getInterruptions(): RunToolApprovalItem[];
  approve(item: RunToolApprovalItem): void;
  reject(item: RunToolApprovalItem, options: { message: string }): void;
}

/** Options of `settleRunState`. */
export interface SettleOptions extends IntegrationOptions {
  /** Aborts a call that runs because the state approves it. */
  readonly signal?: AbortSignal | undefined;
}

/** A call that waits for approval. The SDK's interruption with the same `callId` cannot hold the request. */
export interface WaitingCall extends PausedCallRequest {
  readonly callId: string;
}

/**
 * Brings a RunState into agreement with the ledger before the run is resumed, and returns the pending calls.
 * Answers in the ledger become `state.approve` and `state.reject`. Answers in the state are recorded if
 * `answeredBy` is set; an approved call then runs at once. Other tools are ignored.
 */
export const settleRunState = async (
  session: Session,
  state: AgentsRunState,
  options: SettleOptions = {},
): Promise<readonly WaitingCall[]> => {
  checkIntegration("settleRunState", session, options, ["answeredBy", "signal"]);
  const waiting: WaitingCall[] = [];
  for (const item of state.getInterruptions()) {
    const call = sessionCallOf(session, item);
    const question =
      call === undefined ? undefined : await settleInterruption(session, state, item, call, options);
    if (question !== undefined) waiting.push(question);
  }
  return waiting;
};

/** Another agent may have an unrelated tool of the same name, so the tool itself is compared. */
const sessionCallOf = (session: Session, { agent, rawItem }: RunToolApprovalItem): RawCall | undefined => {
  if (rawItem.type !== "function_call") return undefined;
  const named = agent.tools.filter((each) => each.type === "function" && each.name === rawItem.name);
  const names = named.map((each) => sessionToolNameOf(session, each as never));
  const [tool] = names;
  if (tool === undefined || names.includes(undefined)) return undefined;
  return { id: rawItem.callId, tool, input: readArguments(rawItem.arguments) };
};

/** The SDK also pauses at arguments that are not JSON. */
const readArguments = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return text;
  }
};

const settleInterruption = async (
  session: Session,
  state: AgentsRunState,
  item: RunToolApprovalItem,
  call: RawCall,
  { answeredBy, signal }: SettleOptions,
): Promise<WaitingCall | undefined> => {
  const toolName = item.name ?? call.tool;
  const stateAnswer = state._context.isToolApproved({ toolName: toolName, callId: call.id });
  const earlier = (await session.pending()).find(({ callId }) => callId === call.id);
  const question = await session.asks(call);
  if (question === undefined) {
    // A rejection in the state remains.
    if (stateAnswer !== false) await applyAnswer(session, state, item, call, earlier?.decision);
    return undefined;
  }
  // An approval in the state counts only for a request that existed before.
  if (stateAnswer === undefined || answeredBy === undefined || earlier?.id !== question.id) {
    return { ...toPausedCallRequest(question), callId: call.id };
  }
  const reason = state._context.getRejectionMessage(toolName, call.id);
  const decision: ApprovalDecision = stateAnswer
    ? { kind: "allow" }
    : { kind: "deny", ...(reason === undefined ? {} : { reason }) };
  await recordAnswer(session, question.id, decision, { by: answeredBy, signal });
  return undefined;
};

const applyAnswer = async (
  session: Session,
  state: AgentsRunState,
  item: RunToolApprovalItem,
  call: RawCall,
  decision: ApprovalDecision | undefined,
): Promise<void> => {
  if (decision?.kind === "deny") {
    const [reply] = await session.turn([call]);
    return state.reject(item, { message: reply?.text ?? "" });
  }
  // The SDK refuses unreadable arguments without calling the tool, so the call is recorded here.
  if (typeof call.input === "string") await session.turn([call]);
  state.approve(item);
};
