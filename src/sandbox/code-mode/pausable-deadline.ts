import * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { Fiber } from "effect/Fiber";
import { startTimer } from "../../pipeline/layers/waiting/timer.ts";

/** Paused while an approval request is open. */
export class PausableDeadline {
  readonly #fiber: Fiber<unknown, unknown>;
  readonly #onOver: () => void;
  #leftMs: number;
  #since = 0;
  #timer: { readonly cancel: () => void } | undefined;
  #asked = 0;
  #isStarted = false;

  constructor(fiber: Fiber<unknown, unknown>, millis: number, onOver: () => void) {
    this.#fiber = fiber;
    this.#leftMs = millis;
    this.#onOver = onOver;
  }

  /** Called when an engine is available. */
  start(): void {
    if (this.#isStarted) return;
    this.#isStarted = true;
    if (this.#asked === 0) this.#start();
  }

  /** Returns the function that resumes it. */
  pause(): () => void {
    this.#asked += 1;
    if (this.#asked === 1 && this.#isStarted) this.#stop();
    return () => {
      this.#asked -= 1;
      if (this.#asked === 0 && this.#isStarted) this.#start();
    };
  }

  cancel(): void {
    this.#timer?.cancel();
  }

  #start(): void {
    this.#since = this.#now();
    this.#timer = startTimer(this.#fiber, Math.max(0, this.#leftMs), this.#onOver);
  }

  #stop(): void {
    this.#timer?.cancel();
    this.#leftMs -= this.#now() - this.#since;
  }

  #now(): number {
    return Number(this.#fiber.getRef(Clock.Clock).monotonicTimeNanosUnsafe()) / 1e6;
  }
}

export const pausableDeadline = (millis: number, onOver: () => void): Effect.Effect<PausableDeadline> =>
  Effect.withFiber((fiber) => Effect.succeed(new PausableDeadline(fiber, millis, onOver)));
