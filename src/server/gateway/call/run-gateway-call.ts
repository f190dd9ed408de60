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
      if (decision === "elsewhere") {
        // The same once more: what was answered counts, whoever has gone on with it.
        reply = await served.call({ ...call, id, principal: live.principal, caller, signal });
        continue;
      }
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

/** How often the ledger is asked whether somebody else has answered, in milliseconds. */
const lookMs = 1000;

/**
 * Nothing where no answer came: the question is still open for whoever finds it in the ledger. While the client is asked,
 * `haft approve` or another gateway may answer.
 */
const decide = async (gateway: GatewayState, live: LiveCall, pending: ApprovalRequest) => {
  const { isAnswered, redact } = gateway.served;
  const form = approvalForm(pending, redact);
  const elsewhere = new AbortController();
  const look = async (): Promise<void> => {
    if (await isAnswered?.(pending.id)) elsewhere.abort(new Error("It was answered elsewhere."));
  };
  const timer =
    isAnswered === undefined ? undefined : setInterval(() => void look().catch(() => {}), lookMs).unref();
  try {
    const signal = AbortSignal.any([live.signal, elsewhere.signal]);
    const { approval } = await live.ask({ approval: form }, signal, true);
    return readApprovalForm(approval);
  } catch {
    return elsewhere.signal.aborted && !live.signal.aborted ? "elsewhere" : undefined;
  } finally {
    clearInterval(timer);
  }
};
