import * as Clock from "effect/Clock";
import * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Random from "effect/Random";
import { checkFields } from "../../base/json/check-fields.ts";
import type { AuthorizedCall } from "../../types/call.ts";
import { type Failure, isRetryable, stageOf } from "../../types/failure.ts";
import type { Outcome } from "../../types/outcome.ts";
import { type Handler, isIdempotent, type LayeredTool, type ToolLayer } from "../../types/tool.ts";
import { readCount, readMillis } from "./read-option.ts";

/** Options of the `retry` layer. */
export interface RetryOptions {
  /** Maximum number of attempts, including the first. */
  readonly attempts?: number;
  /**
   * Upper bound of the first delay; it doubles with each attempt. The actual delay is a random part of it.
   */
  readonly base?: Duration.Input;
  /** Upper bound of any delay, apart from `retryAfterMs`. */
  readonly cap?: Duration.Input;
  /** Calls whose tool requests a longer delay are not retried. */
  readonly maxRetryAfter?: Duration.Input;
  readonly budget?: RetryBudgetOptions;
}

/** Retries idempotent calls and calls that did not run. Calls through the same layer share its budget. */
export const retry = (options: RetryOptions = {}): ToolLayer => {
  checkFields("retry", options, ["attempts", "base", "cap", "maxRetryAfter", "budget"]);
  const attempts = readCount("retry attempts", options.attempts ?? 3, 1);
  const base = readMillis("retry base", options.base ?? "100 millis", 0);
  const cap = readMillis("retry cap", options.cap ?? "10 seconds", 0);
  const maxRetryAfter = readMillis("retry maxRetryAfter", options.maxRetryAfter ?? "10 seconds", 0);
  const budget = new RetryBudget(options.budget);

  const wrap = (next: Handler): Handler => {
    const handleOutcome = (
      call: AuthorizedCall,
      attempt: number,
      outcome: Outcome,
    ): Effect.Effect<Outcome> => {
      if (outcome._tag === "value") budget.giveBack();
      else if (outcome._tag === "failure" && attempt < attempts && canRetry(call, outcome.failure)) {
        if (budget.take(outcome.failure)) return retryAfterPause(call, attempt, outcome.failure);
        call.recorder.note("retry: the budget is spent");
      }
      if (attempt > 1) call.recorder.note(`retry: ${attempt} attempts`);
      return Effect.succeed(outcome);
    };

    const retryAfterPause = (
      call: AuthorizedCall,
      attempt: number,
      failure: Failure,
    ): Effect.Effect<Outcome> =>
      Effect.withFiber((fiber) => {
        const maxPause = Math.min(cap, base * 2 ** (attempt - 1));
        const jitter = fiber.getRef(Random.Random).nextDoubleUnsafe() * maxPause;
        // Jitter is added to the requested delay, so that rejected calls do not return together.
        const pause = Duration.millis((failure.retryAfterMs ?? 0) + jitter);
        return Effect.flatMap(fiber.getRef(Clock.Clock).sleep(pause), () => runAttempt(call, attempt + 1));
      });

    const runAttempt = (call: AuthorizedCall, attempt: number): Effect.Effect<Outcome> =>
      Effect.flatMap(next(call), (outcome) => handleOutcome(call, attempt, outcome));

    return (call) => runAttempt(call, 1);
  };

  const canRetry = (call: AuthorizedCall, failure: Failure): boolean =>
    isRetryableCallFailure(failure) &&
    (failure.retryAfterMs ?? 0) <= maxRetryAfter &&
    (isIdempotent(call.spec) || !mayHaveRun(failure));

  return Object.assign(wrap, { label: "retry", runsNoCode: true, idleAround: explainIdleRetry });
};

const admissionLayers: ReadonlySet<string | undefined> = new Set(["limit", "breaker"]);

const explainIdleRetry = ({ spec, implementation, layers }: LayeredTool): string | undefined =>
  isIdempotent(spec) ||
  implementation.provesNotRun === true ||
  layers.some(({ label }) => admissionLayers.has(label))
    ? undefined
    : "a tool that is neither read-only nor idempotent is not started twice: set annotations: { idempotent: true } if repeating is safe";

/** An unspecified run-stage failure counts as run. */
const mayHaveRun = (failure: Failure): boolean => failure.ran ?? stageOf(failure) === "run";

const isRetryableCallFailure = (failure: Failure): boolean => {
  const stage = stageOf(failure);
  if (stage !== "run" && failure.code !== "overloaded" && failure.code !== "circuit_open") return false;
  return isRetryable(failure);
};

interface RetryBudgetOptions {
  readonly capacity?: number;
  readonly cost?: number;
  readonly timeoutCost?: number;
  readonly refill?: number;
}

/**
 * Retries take tokens and successes return them, so that an outage reduces attempts to about one per call.
 */
class RetryBudget {
  readonly #capacity: number;
  readonly #cost: number;
  readonly #timeoutCost: number;
  readonly #refill: number;
  #tokens: number;

  constructor(options: RetryBudgetOptions = {}) {
    this.#capacity = readCount("retry budget.capacity", options.capacity ?? 500, 0);
    this.#cost = readCount("retry budget.cost", options.cost ?? 5, 0);
    this.#timeoutCost = readCount("retry budget.timeoutCost", options.timeoutCost ?? 10, 0);
    this.#refill = readCount("retry budget.refill", options.refill ?? 1, 0);
    this.#tokens = this.#capacity;
  }

  take(failure: Failure): boolean {
    const cost = failure.code === "timed_out" ? this.#timeoutCost : this.#cost;
    if (this.#tokens < cost) return false;
    this.#tokens -= cost;
    return true;
  }

  giveBack(): void {
    this.#tokens = Math.min(this.#capacity, this.#tokens + this.#refill);
  }
}
