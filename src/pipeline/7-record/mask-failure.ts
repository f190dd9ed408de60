import type { Redactor } from "../../base/json/redact.ts";
import { shorten } from "../../base/text/cut-text.ts";
import { attachCause, causeOf, type Failure, stageOf } from "../../types/failure.ts";
import type { Issue } from "../../types/json.ts";

const maxToolMessageLength = 600;
const maxMessageLength = 8_000;

/**
 * Masks known secrets and removes the cause, which printing could reveal: operators get the error's stack as
 * text, and only the calling program gets the cause.
 */
export const maskFailure = (failure: Failure, redactor: Pick<Redactor, "text">): Failure => {
  const { cause, ...rest } = failure;
  const detail = failure.detail ?? (cause instanceof Error ? cause.stack : undefined);
  const masked: Failure = {
    ...rest,
    // Masked before truncation, which could otherwise leave part of a secret.
    message: shorten(
      redactor.text(failure.message),
      stageOf(failure) === "run" ? maxToolMessageLength : maxMessageLength,
    ),
    ...(failure.tool === undefined ? {} : { tool: redactor.text(failure.tool) }),
    ...(detail === undefined ? {} : { detail: shorten(redactor.text(String(detail)), maxMessageLength) }),
    ...(failure.issues === undefined
      ? {}
      : { issues: failure.issues.map((issue) => maskIssue(issue, redactor)) }),
    ...(failure.agentId === undefined ? {} : { agentId: redactor.text(failure.agentId) }),
  };
  return attachCause(masked, causeOf(failure));
};

const maskIssue = (issue: Issue, redactor: Pick<Redactor, "text">): Issue => ({
  ...issue,
  pointer: redactor.text(issue.pointer),
  message: redactor.text(issue.message),
  ...(issue.expected === undefined ? {} : { expected: redactor.text(issue.expected) }),
  ...(issue.received === undefined ? {} : { received: redactor.text(issue.received) }),
});
