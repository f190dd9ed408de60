import type { ApprovalAnswer } from "../words/approval.ts";
import type { ApprovalQuestion, Handler, ToolLayer } from "../words/layer.ts";

/** `true` has no objection, `false` denies; an answer says more. */
export type ApprovalPredicate = (question: ApprovalQuestion) => boolean | ApprovalAnswer;

/** When the `approval` layer asks a person: a function of the call, or a condition with a reason. */
export type ApprovalRule =
  | ApprovalPredicate
  /** A person must agree when it holds; always, without `when`. */
  | { readonly when?: (question: ApprovalQuestion) => boolean; readonly reason?: string };

/** An Env that can speak for the people behind it. */
export interface HasApproval {
  readonly approve: (question: ApprovalQuestion<HasApproval>) => ApprovalAnswer;
}

const kinds: readonly unknown[] = ["allow", "deny", "edit", "ask"] satisfies ApprovalAnswer["kind"][];

const onlyAsked = <Env>(approve: NonNullable<ToolLayer<Env>["approve"]>): ToolLayer<Env> =>
  Object.assign((next: Handler): Handler => next, { label: "approval", runsNoCode: true, approve });

/**
 * Says of a call, before anything runs, whether a person must agree. It waits for nobody: stage 3
 * collects what all layers say. Without a rule every call needs a person.
 */
export const approval = (rule: ApprovalRule = {}): ToolLayer => {
  if (typeof rule === "function") return onlyAsked((question) => toAnswer(rule(question)));
  const { when, reason } = rule;
  const ask: ApprovalAnswer = reason === undefined ? { kind: "ask" } : { kind: "ask", reason };
  return onlyAsked((question) => (when === undefined || when(question) ? ask : undefined));
};

/** The same, decided by what the run brings along in its Env. */
export const approvalByEnv = (): ToolLayer<HasApproval> =>
  onlyAsked<HasApproval>((question) => toAnswer(question.env.approve(question)));

/** Anything else, such as a promise, would pass for a yes or a no; throwing stops the call instead. */
const toAnswer = (said: boolean | ApprovalAnswer): ApprovalAnswer => {
  if (said === true) return { kind: "allow" };
  if (said === false) return { kind: "deny" };
  if (typeof said === "object" && said !== null && kinds.includes(said.kind)) return said;
  throw new TypeError(
    "An approval rule answers at once with true, false, or { kind: allow | deny | edit | ask }.",
  );
};
