import type { ApprovalDecision, ApprovalRecord } from "../../words/approval.ts";
import { ToolApprovalError } from "../../words/errors.ts";
import { hasSession } from "../approval-steps.ts";

const known: Readonly<Record<string, readonly string[]>> = {
  allow: ["kind", "always"],
  deny: ["kind", "reason"],
  edit: ["kind", "input"],
};

/** Foreign data until it was read. What cannot be read is no answer: the call goes on waiting for one. */
export const readDecision = (given: unknown): ApprovalDecision => {
  const decision = (typeof given === "object" && given !== null ? given : {}) as Readonly<
    Record<string, unknown>
  >;
  const { kind, always, reason, input } = decision;
  const fields = typeof kind === "string" && Object.hasOwn(known, kind) ? known[kind] : undefined;
  const isRight =
    fields !== undefined &&
    Object.keys(decision).every((field) => fields.includes(field)) &&
    (always === undefined || always === "run" || always === "session") &&
    (reason === undefined || typeof reason === "string") &&
    (kind !== "edit" || input !== undefined);
  if (isRight) return given as ApprovalDecision;
  throw unreadable(
    'An approval is answered with { kind: "allow", always?: "run" | "session" }, { kind: "deny", reason? } or ' +
      '{ kind: "edit", input }.',
  );
};

/** A yes for a whole session needs one: otherwise it would be for nobody, or for everybody who has none. */
export const refuseWithoutSession = (record: ApprovalRecord, decision: ApprovalDecision): void => {
  if (decision.kind !== "allow" || decision.always !== "session" || hasSession(record)) return;
  throw unreadable(
    `The caller of "${record.tool}" has no session for which a yes could hold. Answer { kind: "allow", always: "run" }.`,
  );
};

const unreadable = (message: string): ToolApprovalError =>
  new ToolApprovalError("unreadable_decision", `${message} Nothing was recorded.`);
