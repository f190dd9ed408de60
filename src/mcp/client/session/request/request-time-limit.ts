import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { RequestDeadline } from "./request-deadline.ts";
import type { RequestStep } from "./request-step.ts";

/** Progress may stretch the deadline to four times its length. */
export const maxExtensionFactor = 4;

/** The longest a timer can wait: longer ones would fire at once. */
export const maxTimeoutMs = 2_147_483_647;

export interface RequestTimeLimit {
  readonly deadline: RequestDeadline;
  /** Aborts with the request's own signal, and when the time is over. */
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

export const createTimeLimit = ({
  request,
  asked: info,
}: Pick<RequestStep, "request" | "asked">): RequestTimeLimit => {
  const ms = info.timeoutMs as number;
  const ender = new AbortController();
  const deadline = new RequestDeadline(ms, ms * maxExtensionFactor, () =>
    ender.abort(new SdkError(SdkErrorCode.RequestTimeout, "Request timed out")),
  );
  const signal =
    request.signal === undefined ? ender.signal : AbortSignal.any([request.signal, ender.signal]);
  return { deadline, signal, isOver: () => ender.signal.aborted };
};
