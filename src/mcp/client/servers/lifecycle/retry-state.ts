import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { ToolError } from "../../../../types/errors.ts";
import { isRetryable } from "../../../../types/failure.ts";
import { errorReason } from "../reason-of.ts";
import type { ServerLifecycle } from "./server-lifecycle.ts";

export interface RetryState {
  failures: number;
  /** Since the last stable connection. */
  waits: number;
  /** Deadline of the initial connect; undefined after it. */
  startsUntil: number | undefined;
}

/** Undefined if only an operator can fix the error. */
export const scheduleRetry = (
  lifecycle: ServerLifecycle,
  retries: RetryState,
  error: ToolError | undefined,
  now: number,
): number | undefined => {
  const { upstream, services, random } = lifecycle;
  if (error !== undefined) {
    retries.failures++;
    upstream.reason = errorReason(error);
  }
  const isTransient = error === undefined || isRetryable(error.failure);
  const hasExhaustedRetries = retries.failures > services.config.maxRetries || !isTransient;
  if (upstream.connections > 0) {
    const isStarting = isTransient && retries.waits <= lastBackoffStep;
    const wait = isStarting ? backoffMs(retries.waits++, random) : slowRetryMs(random);
    return markWaiting(lifecycle, hasExhaustedRetries ? "error" : "disconnected", now, wait);
  }
  if (retries.startsUntil !== undefined && !hasExhaustedRetries) {
    const wait = backoffMs(retries.waits++, random);
    if (now + wait < retries.startsUntil) return markWaiting(lifecycle, "connecting", now, wait);
  }
  retries.startsUntil = undefined;
  const wait = markWaiting(lifecycle, "error", now, lifecycle.keepTrying ? slowRetryMs(random) : undefined);
  if (error !== undefined) Deferred.doneUnsafe(lifecycle.started, Effect.fail(error));
  return wait;
};

const markWaiting = (
  { upstream }: ServerLifecycle,
  status: "connecting" | "disconnected" | "error",
  now: number,
  wait: number | undefined,
): number | undefined => {
  upstream.status = status;
  upstream.nextTryAt = wait === undefined ? undefined : now + wait;
  return wait;
};

const firstBackoffMs = 250;
const maxBackoffMs = 30_000;

const lastBackoffStep = Math.ceil(Math.log2(maxBackoffMs / firstBackoffMs));

/** Exponential backoff with full jitter. */
const backoffMs = (step: number, random: () => number): number =>
  Math.round(Math.min(maxBackoffMs, firstBackoffMs * 2 ** step) * random());

const slowRetryMs = (random: () => number): number => Math.round(maxBackoffMs * (1 + random()));
