import type { Redactor } from "../../base/json/redact.ts";
import { shorten } from "../../base/text/cut-text.ts";
import { attachCause, causeOf, type Failure, stageOf } from "../../types/failure.ts";
import type { Issue } from "../../types/json.ts";

/** Of what a tool says of itself; other messages are ours, and as long as they need to be. */
const maxToolMessageLength = 600;
const maxMessageLength = 8_000;

/**
 * A failure as it leaves the corridor: no known secret in any of its words, and no foreign error in what is printed of
 * it, since nobody can vouch for that. What the error said is kept as text, for operators; the error itself only the
 * program gets that made the call.
 */
export const maskFailure = (failure: Failure, redactor: Pick<Redactor, "text">): Failure => {
  const { cause, ...rest } = failure;
  const detail = failure.detail ?? (cause instanceof Error ? errorStackOf(cause) : undefined);
  const masked: Failure = {
    ...rest,
    // Masked before it is cut: otherwise half of a secret at the place of the cut would remain.
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

/** A foreign error's stack may be a getter that throws, or no text at all. */
const errorStackOf = (error: Error): string | undefined => {
  try {
    return typeof error.stack === "string" ? error.stack : undefined;
  } catch {
    return undefined;
  }
};
