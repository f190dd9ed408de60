import type { RunContext, RunToolApprovalItem } from "@openai/agents";
import type { Session } from "../../runtime/session.ts";
import type { ApprovalDecision } from "../../types/approval.ts";
import type { RawCall } from "../../types/call.ts";
import { recordFrameworkAnswer } from "../record-framework-answer.ts";
import { type IntegrationOptions, type PausedCallRequest, toPausedCallRequest } from "../session-tools.ts";
import { sessionToolNameOf } from "./to-tools.ts";

/** What is needed of a RunState of the OpenAI Agents SDK, whatever its context and its agent are. */
export interface AgentsRunState {
  readonly _context: Pick<RunContext, "isToolApproved" | "getRejectionMessage">;
  getInterruptions(): RunToolApprovalItem[];
  approve(item: RunToolApprovalItem): void;
  reject(item: RunToolApprovalItem, options: { message: string }): void;
}

/** How a state is settled. */
export interface SettleOptions extends IntegrationOptions {
  /** Stops a call that is made because the state approves it. */
  readonly signal?: AbortSignal | undefined;
}

/** A call that still waits for a person. The SDK's interruption of the same `callId` has no room for the question. */
export interface WaitingCall extends PausedCallRequest {
  readonly callId: string;
}

/**
 * Makes a RunState and the ledger agree before the run goes on, and tells what still waits. What persons answered becomes
 * `state.approve` and `state.reject`. What was approved and rejected in the state becomes an answer in the ledger, if
 * `answeredBy` says in whose name; an approved call is then made at once. Tools of others are left alone.
 */
export const settleRunState = async (
  session: Session,
  state: AgentsRunState,
  options: SettleOptions = {},
): Promise<readonly WaitingCall[]> => {
  const waiting: WaitingCall[] = [];
  for (const item of state.getInterruptions()) {
    const call = sessionCallOf(session, item);
    const question =
      call === undefined ? undefined : await settleInterruption(session, state, item, call, options);
    if (question !== undefined) waiting.push(question);
  }
  return waiting;
};

/** By the tool itself: another agent may have a tool of the same name that is none of ours. */
const sessionCallOf = (session: Session, { agent, rawItem }: RunToolApprovalItem): RawCall | undefined => {
  if (rawItem.type !== "function_call") return undefined;
  const named = agent.tools.filter((each) => each.type === "function" && each.name === rawItem.name);
  const names = named.map((each) => sessionToolNameOf(session, each as never));
  const [tool] = names;
  if (tool === undefined || names.includes(undefined)) return undefined;
  return { id: rawItem.callId, tool, input: readArguments(rawItem.arguments) };
};

/** The SDK pauses at arguments that it cannot read, too: then their text is the input. */
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
    // A no that was given there stays one, whatever the ledger says.
    if (stateAnswer !== false) await applyAnswer(session, state, item, call, earlier?.decision);
    return undefined;
  }
  // A yes to something that nobody was asked before is no answer.
  if (stateAnswer === undefined || answeredBy === undefined || earlier?.id !== question.id) {
    return { ...toPausedCallRequest(question), callId: call.id };
  }
  const reason = state._context.getRejectionMessage(toolName, call.id);
  const decision: ApprovalDecision = stateAnswer
    ? { kind: "allow" }
    : { kind: "deny", ...(reason === undefined ? {} : { reason }) };
  await recordFrameworkAnswer(session, question.id, decision, { by: answeredBy, signal });
  return undefined;
};

/** The ledger's answer, for the SDK: a no in the session's words, anything else by making the call when the run goes on. */
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
  // The SDK refuses what it cannot read without a word to the tool, so it is put on record here.
  if (typeof call.input === "string") await session.turn([call]);
  state.approve(item);
};
