import type { Decision } from "../../policy/judge.ts";
import { failed, type Outcome } from "../../words/outcome.ts";
import type { BoundCall } from "../call-state.ts";

/** The model learns that it may not, never which rule says so. */
export const denied = (call: BoundCall, { reason, ruleIds }: Pick<Decision, "reason" | "ruleIds">): Outcome =>
  failed({
    code: "denied",
    tool: call.registration.key,
    message: `You are not allowed to call "${call.registration.key}" with these arguments.`,
    detail: reason,
    agentId: call.principal.agent,
    ...(ruleIds.length === 0 ? {} : { ruleIds }),
  });

export const needsPerson = (call: BoundCall, reason: string): Outcome =>
  failed({
    code: "approval_required",
    tool: call.registration.key,
    message: `A person must approve this call of "${call.registration.key}", and nobody can be asked.`,
    detail: reason,
  });

export const refusedByPerson = (tool: string, reason: string | undefined): Outcome =>
  failed({
    code: "approval_denied",
    tool,
    message: `The call of "${tool}" was not approved${reason ? `: ${withStop(reason)}` : "."}`,
  });

const withStop = (sentence: string): string => (/[.!?]$/.test(sentence) ? sentence : `${sentence}.`);

export const goneTool = (key: string): Outcome =>
  failed({
    code: "unknown_tool",
    tool: key,
    ran: false,
    message: `The tool "${key}" is not there any more.`,
  });
