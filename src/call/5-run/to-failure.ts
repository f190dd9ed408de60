import * as Cause from "effect/Cause";
import type { Redactor } from "../../json/redact.ts";
import { ToolError } from "../../words/errors.ts";
import { type Failure, stageOf } from "../../words/failure.ts";

const longest = 500;

/** What an implementation died of, as a failure. Its text is bounded and free of known secrets. */
export const toFailure = (cause: Cause.Cause<unknown>, tool: string, redactor: Redactor): Failure => {
  const reason = cause.reasons.find((each) => Cause.isFailReason(each) || Cause.isDieReason(each));
  if (reason === undefined) {
    return { code: "cancelled", tool, ran: true, message: `The call of "${tool}" was cancelled.` };
  }
  if (Cause.isFailReason(reason)) return fromError(reason.error, tool, redactor);
  const defect = (reason as Cause.Die).defect;
  return {
    code: "crashed",
    tool,
    ran: true,
    message: `The tool "${tool}" broke.`,
    detail: bounded(redactor.text(messageOf(defect))),
    cause: defect,
  };
};

/** A failure of the run stage keeps its code; another stage's belongs to a call that this tool made. */
const fromError = (error: unknown, tool: string, redactor: Redactor): Failure => {
  const message = bounded(redactor.text(messageOf(error)));
  if (ToolError.is(error) && stageOf(error.failure) === "run") {
    const detail =
      error.failure.detail === undefined ? undefined : bounded(redactor.text(error.failure.detail));
    return {
      ...error.failure,
      tool,
      // An implementation may know that nothing was sent.
      ran: error.failure.ran ?? true,
      message,
      ...(detail === undefined ? {} : { detail }),
      cause: error,
    };
  }
  const retryAfterMs = (error as { readonly retryAfterMs?: unknown } | null | undefined)?.retryAfterMs;
  return {
    code: "failed",
    tool,
    ran: true,
    message: `The tool "${tool}" failed: ${message}`,
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
    cause: error,
  };
};

const bounded = (text: string): string => (text.length > longest ? `${text.slice(0, longest)}…` : text);

/** Reads a foreign error without trusting it: a getter may throw. */
const messageOf = (error: unknown): string => {
  try {
    if (typeof error === "object" && error !== null) {
      const { message, _tag } = error as { readonly message?: unknown; readonly _tag?: unknown };
      if (typeof message === "string" && message !== "") return message;
      if (typeof _tag === "string") return _tag;
    }
    return String(error);
  } catch {
    return "an error that cannot be read";
  }
};
