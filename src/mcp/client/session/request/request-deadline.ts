/** A timeout that pauses during user input. */
export class RequestDeadline {
  readonly #onEnd: () => void;
  readonly #ms: number;
  #hardMs: number;
  #leftMs: number;
  #startedAt = 0;
  #timer: NodeJS.Timeout | undefined;
  #pauses = 0;

  constructor(ms: number, hardMs: number, onEnd: () => void) {
    this.#ms = ms;
    this.#leftMs = ms;
    this.#hardMs = hardMs;
    this.#onEnd = onEnd;
    this.#run();
  }

  pause(): void {
    if (this.#pauses++ > 0) return;
    this.#stop();
  }

  resume(): void {
    if (--this.#pauses > 0 || this.#timer !== undefined) return;
    this.#run();
  }

  extend(): void {
    if (this.#timer === undefined) return;
    this.#stop();
    this.#leftMs = Math.min(this.#ms, this.#hardMs);
    this.#run();
  }

  clear(): void {
    this.#pauses = Number.POSITIVE_INFINITY;
    this.#stop();
  }

  #run(): void {
    this.#startedAt = Date.now();
    this.#timer = setTimeout(this.#onEnd, Math.max(0, this.#leftMs));
  }

  #stop(): void {
    if (this.#timer === undefined) return;
    clearTimeout(this.#timer);
    this.#timer = undefined;
    const passed = Date.now() - this.#startedAt;
    this.#leftMs -= passed;
    this.#hardMs -= passed;
  }
}
