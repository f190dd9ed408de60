import type { ApprovalRequest } from "../../../types/approval.ts";
import type { Reply } from "../../../types/reply.ts";
import type { BackendCall } from "../gateway-backend.ts";
import type { GatewayState } from "../gateway-state.ts";
import { approvalForm, readApprovalForm } from "./approval-form.ts";
import { canElicit } from "./client-capabilities.ts";
import type { LiveCall } from "./live-call.ts";

export type GatewayCallParameters = Pick<
  BackendCall,
  "tool" | "input" | "conversation" | "correlationId" | "idempotencyKey" | "trace" | "loaded"
>;

/** Edited input may need another approval. */
const maxApprovals = 4;

/** Runs a call and, if configured, requests pending approvals from the client. */
export const runGatewayCall = async (
  gateway: GatewayState,
  live: LiveCall,
  call: GatewayCallParameters,
): Promise<Reply> => {
  const { backend } = gateway;
  const { caller, signal } = live;
  const { conversation } = call;
  const id = live.newId();
  const unwatch = gateway.progress.watch(id, (update, taints) => live.listener?.progressed?.(update, taints));
  try {
    let reply = await backend.call({ ...call, id, principal: live.principal, caller, signal });
    for (
      let approvalsRequested = 0;
      reply.pending !== undefined && approvalsRequested < maxApprovals;
      approvalsRequested++
    ) {
      if (gateway.approvals !== "client" || !canElicit(live.capabilities, "form")) break;
      const decision = await requestClientDecision(gateway, live, reply.pending);
      if (decision === undefined) break;
      if (decision === "elsewhere") {
        // Returns the result, whichever process resumed the call.
        reply = await backend.call({ ...call, id, principal: live.principal, caller, signal });
        continue;
      }
      // The response may come with other rights.
      const { principal } = live;
      const traceFields = call.trace === undefined ? {} : { trace: call.trace };
      const callerFields = {
        id,
        tool: call.tool,
        principal,
        caller,
        signal,
        by: `mcp:${principal.agent}`,
        ...traceFields,
      };
      const whole = conversation === undefined ? callerFields : { ...callerFields, conversation };
      reply = await backend.resume(reply.pending.id, decision, whole);
    }
    return reply;
  } finally {
    unwatch();
  }
};

/** In milliseconds. */
const answerPollMs = 1000;

/** Undefined without a response: the approval stays pending. Polls, because another process may answer. */
const requestClientDecision = async (gateway: GatewayState, live: LiveCall, pending: ApprovalRequest) => {
  const { isAnswered, redact } = gateway.backend;
  const form = approvalForm(pending, redact);
  const answeredElsewhere = new AbortController();
  const pollAnswered = async (): Promise<void> => {
    if (await isAnswered?.(pending.id))
      answeredElsewhere.abort(new Error("The request was answered elsewhere."));
  };
  const timer =
    isAnswered === undefined
      ? undefined
      : setInterval(() => void pollAnswered().catch(() => {}), answerPollMs).unref();
  try {
    const signal = AbortSignal.any([live.signal, answeredElsewhere.signal]);
    const { approval } = await live.ask({ approval: form }, signal, true);
    return readApprovalForm(approval);
  } catch {
    return answeredElsewhere.signal.aborted && !live.signal.aborted ? "elsewhere" : undefined;
  } finally {
    clearInterval(timer);
  }
};
