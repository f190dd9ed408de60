import { isObject } from "../../base/json/json-value.ts";
import { ToolApprovalError } from "../../types/errors.ts";
import type { Message } from "../../types/message.ts";

export const isPlan = (plan: unknown): boolean =>
  isObject(plan) &&
  Array.isArray(plan.uses) &&
  plan.uses.every(
    (use) =>
      isObject(use) &&
      typeof use.tool === "string" &&
      (use.targets === undefined ||
        (Array.isArray(use.targets) && use.targets.every((each) => typeof each === "string"))),
  );

const messageRoles: readonly unknown[] = ["system", "user", "assistant", "tool"] satisfies Message["role"][];

export const isMessage = (message: unknown): boolean => {
  if (!isObject(message) || !messageRoles.includes(message.role)) return false;
  return message.role !== "tool" || (typeof message.callId === "string" && typeof message.tool === "string");
};

export const isApprovalDecision = (decision: unknown): boolean =>
  isObject(decision) && (decision.reason === undefined || typeof decision.reason === "string");

export const unreadableDecisionError = (): ToolApprovalError =>
  new ToolApprovalError(
    "unreadable_decision",
    'session.answer requires { kind: "allow", always? }, { kind: "deny", reason? } or { kind: "edit", input }.',
  );
