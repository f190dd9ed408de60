import { maskParts } from "../../base/json/mask-parts.ts";
import type { Redactor } from "../../base/json/redact.ts";
import type { RawCall } from "../../types/call.ts";
import type { Failure } from "../../types/failure.ts";
import { failures } from "../../types/failures.ts";
import type { Flow, Outcome, Reply } from "../../types/outcome.ts";
import type { Implementation } from "../../types/tool.ts";

const continueFlow: Flow = Object.freeze({ kind: "continue" });

export const toReply = (
  { id, tool }: Pick<RawCall, "id" | "tool">,
  outcome: Outcome,
  encoded: string,
  redactor: Pick<Redactor, "text" | "value">,
  taints: readonly string[] = [],
): Reply => {
  const tainted = taints.length === 0 ? undefined : { taints };
  if (outcome._tag === "value") {
    const flow = maskFlow(outcome.flow, redactor);
    const plainText = typeof outcome.value === "string" ? outcome.value : encoded;
    const text = redactor.text(plainText);
    const value = text === plainText ? outcome.value : redactor.value(outcome.value);
    const parts = outcome.parts && maskParts(outcome.parts, redactor);
    return { id, tool, ok: true, text, flow, value, ...(parts && { parts }), ...tainted };
  }
  if (outcome._tag === "failure") {
    const { failure } = outcome;
    return {
      id,
      tool,
      ok: false,
      text: redactor.text(toModelText(failure, tool)),
      flow: continueFlow,
      failure,
      ...tainted,
    };
  }
  return {
    id,
    tool,
    ok: false,
    text: `The call of "${tool}" is pending approval.`,
    flow: continueFlow,
    // For suspended code, the request that an approver must answer.
    pending: outcome.suspension?.waitsFor[0] ?? outcome.approval,
  };
};

/** The text for the model stays the same. */
export const withRestoredParts = (reply: Reply, { withParts }: Pick<Implementation, "withParts">): Reply =>
  withParts === undefined || reply.parts === undefined || !reply.ok
    ? reply
    : { ...reply, value: withParts(reply.value, reply.parts) };

const maskFlow = (flow: Flow, redactor: Pick<Redactor, "text" | "value">): Flow => {
  if (flow.kind === "handoff") return { kind: "handoff", agent: redactor.text(flow.agent) };
  return flow.kind === "rewrite" ? { kind: "rewrite", original: redactor.value(flow.original) } : flow;
};

export const toModelText = (failure: Failure, tool: string): string =>
  failures[failure.code].reader === "model"
    ? `Error: ${failure.message}`
    : `Error: ${toPlainText(failure, tool)}`;

const toPlainText = (failure: Failure, tool: string): string => {
  if (failure.code === "invalid_output")
    return `The result of "${tool}" was withheld because it does not match the tool's output schema.`;
  if (failure.code === "ledger_unavailable") return failure.message;
  return `The tool "${tool}" is not available right now. Continue without it.`;
};
