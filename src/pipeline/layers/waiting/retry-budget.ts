import type { Failure } from "../../../types/failure.ts";
import { readCount } from "../read-option.ts";

export interface RetryBudgetOptions {
  readonly capacity?: number;
  readonly cost?: number;
  readonly timeoutCost?: number;
  readonly refill?: number;
}

/**
 * Retries take tokens and successes return them, so that an outage reduces attempts to about one per call.
 */
export class RetryBudget {
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
