import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { ToolError } from "../../../../types/errors.ts";
import { isRetryable } from "../../../../types/failure.ts";
import { errorReason } from "../reason-of.ts";
import type { ServerLifecycle } from "./server-lifecycle.ts";

/** How the tries of one server have gone. */
export interface RetryState {
  /** Tries in a row that did not get through. */
  failures: number;
  /** Waits since it was last well for a while. */
  waits: number;
  /** Until when the start may go on; missing once it is over. */
  startsUntil: number | undefined;
}

/** How long to wait for the next try; not at all where only somebody's word helps. The state says so too. */
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

/** After so many waits the step has reached its longest. */
const lastBackoffStep = Math.ceil(Math.log2(maxBackoffMs / firstBackoffMs));

/** How long to wait before try number `step`, counted from 0. Anything up to the step's length, so that many clients of one server do not come back together. */
const backoffMs = (step: number, random: () => number): number =>
  Math.round(Math.min(maxBackoffMs, firstBackoffMs * 2 ** step) * random());

/** For a server that is not expected back soon. */
const slowRetryMs = (random: () => number): number => Math.round(maxBackoffMs * (1 + random()));
