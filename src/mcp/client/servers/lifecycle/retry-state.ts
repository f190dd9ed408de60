import * as Deferred from "effect/Deferred";
import * as Effect from "effect/Effect";
import type { ToolError } from "../../../../words/errors.ts";
import { isRetryable } from "../../../../words/failure.ts";
import { reasonOf } from "../reason-of.ts";
import type { Life } from "./life.ts";

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
export const nextTry = (
  life: Life,
  retries: RetryState,
  error: ToolError | undefined,
  now: number,
): number | undefined => {
  const { upstream, services, random } = life;
  if (error !== undefined) {
    retries.failures++;
    upstream.reason = reasonOf(error);
  }
  const mayPass = error === undefined || isRetryable(error.failure);
  const isTired = retries.failures > services.config.maxRetries || !mayPass;
  if (upstream.connections > 0) {
    const isSoon = mayPass && retries.waits <= lastStep;
    const wait = isSoon ? backoffMs(retries.waits++, random) : slowMs(random);
    return waiting(life, isTired ? "error" : "disconnected", now, wait);
  }
  if (retries.startsUntil !== undefined && !isTired) {
    const wait = backoffMs(retries.waits++, random);
    if (now + wait < retries.startsUntil) return waiting(life, "connecting", now, wait);
  }
  retries.startsUntil = undefined;
  const wait = waiting(life, "error", now, life.keepTrying ? slowMs(random) : undefined);
  if (error !== undefined) Deferred.doneUnsafe(life.started, Effect.fail(error));
  return wait;
};

const waiting = (
  { upstream }: Life,
  status: "connecting" | "disconnected" | "error",
  now: number,
  wait: number | undefined,
): number | undefined => {
  upstream.status = status;
  upstream.nextTryAt = wait === undefined ? undefined : now + wait;
  return wait;
};

const first = 250;
const longest = 30_000;

/** After so many waits the step has reached its longest. */
const lastStep = Math.ceil(Math.log2(longest / first));

/** How long to wait before try number `step`, counted from 0. Anything up to the step's length, so that many clients of one server do not come back together. */
const backoffMs = (step: number, random: () => number): number =>
  Math.round(Math.min(longest, first * 2 ** step) * random());

/** For a server that is not expected back soon. */
const slowMs = (random: () => number): number => Math.round(longest * (1 + random()));
