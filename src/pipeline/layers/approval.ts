import { checkFields } from "../../base/json/check-fields.ts";
import type { ApprovalAnswer } from "../../types/approval.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { ApprovalQuestion, ToolLayer } from "../../types/tool.ts";
import { createApprovalLayer, readApprovalAnswer } from "./authorize.ts";

/** Options of the `approval` layer. */
export interface ApprovalRule {
  /** Requests approval when it returns true. Unless set: for every call. */
  readonly when?: (question: ApprovalQuestion) => boolean;
  /** Shown to the approver. Unless set: the name of the layer. */
  readonly reason?: string;
}

/** An Env that decides about calls. */
export interface HasApproval {
  readonly approve: (question: ApprovalQuestion<HasApproval>) => ApprovalAnswer;
}

/**
 * Requests approval for the calls that `when` returns true for, or for every call. To allow, deny or edit
 * calls in code, use `authorize`.
 */
export const approval = (rule: ApprovalRule = {}): ToolLayer => {
  if (typeof rule === "function") throw new ConfigurationError("invalid_config", functionArgumentMessage);
  checkFields("approval()", rule, ["when", "reason"]);
  const { when, reason } = rule;
  if (when !== undefined && typeof when !== "function") {
    throw new ConfigurationError("invalid_config", "approval(): `when` must be a function of the call.");
  }
  const approvalRequest: ApprovalAnswer = reason === undefined ? { kind: "ask" } : { kind: "ask", reason };
  return createApprovalLayer("approval", (question) =>
    when === undefined || when(question) ? approvalRequest : undefined,
  );
};

/** Lets the Env of the run decide about calls. */
export const approvalByEnv = (): ToolLayer<HasApproval> =>
  createApprovalLayer<HasApproval>("approval", (question) =>
    readApprovalAnswer("env.approve()", question.env.approve(question)),
  );

const functionArgumentMessage =
  "approval() does not accept a function. To request approval when a condition holds: approval({ when: fn }). " +
  'To allow, deny or edit calls in code: authorize(fn), where fn returns { kind: "allow" }, { kind: "deny" }, { kind: "edit", input } or { kind: "ask" }.';
