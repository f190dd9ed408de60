import { ConfigurationError } from "../../../types/errors.ts";

const unitMillis = { second: 1_000, minute: 60_000, hour: 3_600_000 };

export type RateText = `${number} per ${keyof typeof unitMillis}`;

export interface Rate {
  readonly count: number;
  readonly millis: number;
}

export const readRate = (text: string): Rate => {
  const match = /^([1-9]\d{0,8}) per (second|minute|hour)$/.exec(text.trim());
  if (match !== null)
    return { count: Number(match[1]), millis: unitMillis[match[2] as keyof typeof unitMillis] };
  throw new ConfigurationError(
    "invalid_config",
    `limit rate is ${JSON.stringify(text)}; it must be "N per second", "N per minute" or "N per hour", such as "100 per minute".`,
  );
};

/** A sliding window over the last starts. A wall clock that was set back opens the window. */
export class RateWindow {
  readonly #rate: Rate;
  readonly #starts: number[] = [];
  #oldest = 0;

  constructor(rate: Rate) {
    this.#rate = rate;
  }

  /** Time until a start is possible after `ahead` others. */
  wait(now: number, ahead = 0): number {
    const { count, millis } = this.#rate;
    const free = count - this.#starts.length;
    if (ahead < free) return 0;
    const rounds = Math.floor((ahead - free) / count);
    // Until the window is full for the first time, the first start is the oldest.
    const oldest = free > 0 ? 0 : this.#oldest;
    const start = this.#starts[(oldest + ((ahead - free) % count)) % count] ?? now;
    const elapsed = now - start;
    return (elapsed < 0 ? 0 : Math.max(0, millis - elapsed)) + rounds * millis;
  }

  take(now: number): void {
    this.#starts[this.#oldest] = now;
    this.#oldest = (this.#oldest + 1) % this.#rate.count;
  }
}
