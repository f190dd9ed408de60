import type { Failure } from "../../../types/failure.ts";
import { readCount } from "../read-option.ts";

export interface RetryBudgetOptions {
  /** Tokens when full. */
  readonly capacity?: number;
  /** What one retry takes. */
  readonly cost?: number;
  /** What one retry after a timeout takes: it holds on to more than a quick refusal does. */
  readonly timeoutCost?: number;
  /** What one answer gives back. */
  readonly refill?: number;
}

/**
 * Tokens that retries take and answers give back. While a tool answers, nobody notices; when it is
 * down for everybody, attempts fall to little more than one per call.
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
