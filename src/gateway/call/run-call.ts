import type { ApprovalRequest } from "../../words/approval.ts";
import type { Reply } from "../../words/reply.ts";
import type { GatewayState } from "../gateway-state.ts";
import type { ServedCall } from "../served.ts";
import { approvalForm, readApprovalForm } from "./approval-form.ts";
import { canElicit } from "./client-capabilities.ts";
import type { LiveCall } from "./live-call.ts";

export type CallParameters = Pick<
  ServedCall,
  "tool" | "input" | "conversation" | "correlationId" | "idempotencyKey" | "trace" | "loaded"
>;

/** Two, because an edited input may need a person again; more would be a loop. */
const mostApprovals = 4;

/** Down the corridor, with the client's person asked on the way where one is needed and can be. */
export const runCall = async (
  gateway: GatewayState,
  live: LiveCall,
  call: CallParameters,
): Promise<Reply> => {
  const { served } = gateway;
  const { caller, signal } = live;
  const { conversation } = call;
  const id = live.newId();
  const unwatch = gateway.progress.watch(id, (update, taints) => live.listener?.progressed?.(update, taints));
  try {
    let reply = await served.call({ ...call, id, principal: live.principal, caller, signal });
    for (let asked = 0; reply.pending !== undefined && asked < mostApprovals; asked++) {
      if (gateway.approvals !== "client" || !canElicit(live.capabilities, "form")) break;
      const decision = await decide(gateway, live, reply.pending);
      if (decision === undefined) break;
      // Whoever answered may have come back with other rights than it asked with.
      const { principal } = live;
      const traced = call.trace === undefined ? {} : { trace: call.trace };
      const who = { id, tool: call.tool, principal, caller, signal, by: `mcp:${principal.agent}`, ...traced };
      const whole = conversation === undefined ? who : { ...who, conversation };
      reply = await served.resume(reply.pending.id, decision, whole);
    }
    return reply;
  } finally {
    unwatch();
  }
};

/** Nothing where no answer came: the question is still open for whoever finds it in the ledger. */
const decide = async (gateway: GatewayState, live: LiveCall, pending: ApprovalRequest) => {
  const form = approvalForm(pending, gateway.served.redact);
  try {
    const { approval } = await live.ask({ approval: form }, live.signal, true);
    return readApprovalForm(approval);
  } catch {
    return undefined;
  }
};
