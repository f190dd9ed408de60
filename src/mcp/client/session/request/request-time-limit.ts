import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { Deadline } from "./deadline.ts";
import type { RequestStep } from "./step.ts";

/** Progress may stretch the deadline to four times its length. */
export const stretch = 4;

/** The longest a timer can wait: longer ones would fire at once. */
export const neverMs = 2_147_483_647;

export interface RequestTimeLimit {
  readonly deadline: Deadline;
  /** Aborts with the request's own signal, and when the time is over. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

export const timeLimit = ({ request, asked }: Pick<RequestStep, "request" | "asked">): RequestTimeLimit => {
  const ms = asked.timeoutMs as number;
  const ender = new AbortController();
  const deadline = new Deadline(ms, ms * stretch, () =>
    ender.abort(new SdkError(SdkErrorCode.RequestTimeout, "Request timed out")),
  );
  const signal =
    request.signal === undefined ? ender.signal : AbortSignal.any([request.signal, ender.signal]);
  return { deadline, signal, isOver: () => ender.signal.aborted };
};
