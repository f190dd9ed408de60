import { SdkError, SdkErrorCode } from "@modelcontextprotocol/client";
import { RequestDeadline } from "./request-deadline.ts";
import type { RequestStep } from "./request-step.ts";

export const maxExtensionFactor = 4;

/** Larger timer delays fire immediately. */
export const maxTimeoutMs = 2_147_483_647;

export interface RequestTimeLimit {
  readonly deadline: RequestDeadline;
  readonly signal: AbortSignal;
  readonly isOver: () => boolean;
}

export const createTimeLimit = ({
  request,
  info,
}: Pick<RequestStep, "request" | "info">): RequestTimeLimit => {
  const ms = info.timeoutMs as number;
  const ender = new AbortController();
  const deadline = new RequestDeadline(ms, ms * maxExtensionFactor, () =>
    ender.abort(new SdkError(SdkErrorCode.RequestTimeout, "Request timed out")),
  );
  const signal =
    request.signal === undefined ? ender.signal : AbortSignal.any([request.signal, ender.signal]);
  return { deadline, signal, isOver: () => ender.signal.aborted };
};
