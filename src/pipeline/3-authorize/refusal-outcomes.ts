import type { Decision } from "../../policy/decide-case.ts";
import { failed, type Outcome } from "../../types/outcome.ts";
import type { BoundCall } from "../call-state.ts";

/**
 * The model reads that the call is denied and the rule's `tellModel` text, but not the reason or the rule.
 */
export const deniedOutcome = (
  call: BoundCall,
  { reason, ruleIds, tellModel }: Pick<Decision, "reason" | "ruleIds" | "tellModel">,
): Outcome =>
  failed({
    code: "denied",
    tool: call.registration.key,
    message: `You are not allowed to call "${call.registration.key}" with these arguments.${tellModel === undefined ? "" : ` ${tellModel}`}`,
    detail: reason,
    agentId: call.principal.agent,
    ...(ruleIds.length === 0 ? {} : { ruleIds }),
  });

export const approvalRequiredOutcome = (call: BoundCall, reason: string): Outcome =>
  failed({
    code: "approval_required",
    tool: call.registration.key,
    message: `A person must approve this call of "${call.registration.key}", and no approver is configured.`,
    detail: `${reason}. Set an approver, or a ledger that stores pending calls, such as ledger: "sqlite:./haft.db"`,
  });

export const approvalDeniedOutcome = (tool: string, reason: string | undefined): Outcome =>
  failed({
    code: "approval_denied",
    tool,
    message: `The call of "${tool}" was not approved${reason ? `: ${endSentence(reason)}` : "."}`,
  });

const endSentence = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

export const toolGoneOutcome = (key: string): Outcome =>
  failed({
    code: "unknown_tool",
    tool: key,
    ran: false,
    message: `The tool "${key}" is no longer registered.`,
  });
