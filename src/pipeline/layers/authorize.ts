import type { ApprovalAnswer } from "../../types/approval.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { ApprovalQuestion, Handler, ToolLayer } from "../../types/tool.ts";

/** Decides about one call before anything runs. `allow` does not override policy; `ask` requests approval. */
export type CallAuthorizer = (question: ApprovalQuestion) => ApprovalAnswer;

const answerKinds: readonly unknown[] = ["allow", "deny", "edit", "ask"] satisfies ApprovalAnswer["kind"][];

/** Allows, denies or edits calls in code, or requests approval for them. */
export const authorize = (decide: CallAuthorizer): ToolLayer => {
  if (typeof decide !== "function") {
    throw new ConfigurationError(
      "invalid_config",
      'authorize() requires a function of the call that returns a decision, such as { kind: "deny", reason }.',
    );
  }
  return createApprovalLayer("authorize", (question) => readApprovalAnswer("authorize()", decide(question)));
};

export const createApprovalLayer = <Env = unknown>(
  label: string,
  approve: NonNullable<ToolLayer<Env>["approve"]>,
): ToolLayer<Env> => Object.assign((next: Handler): Handler => next, { label, runsNoCode: true, approve });

/** Throws for anything but a decision; the pipeline then stops the call. */
export const readApprovalAnswer = (from: string, answer: unknown): ApprovalAnswer => {
  const kind = (answer as Partial<ApprovalAnswer> | null | undefined)?.kind;
  if (typeof answer === "object" && answerKinds.includes(kind)) return answer as ApprovalAnswer;
  const got =
    answer instanceof Promise ? "a promise" : typeof answer === "boolean" ? String(answer) : "no decision";
  throw new TypeError(
    `The function of ${from} returned ${got}. Return { kind: "allow" }, { kind: "deny", reason }, { kind: "edit", input } or { kind: "ask", reason }.`,
  );
};
