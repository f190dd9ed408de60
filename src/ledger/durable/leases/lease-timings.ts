/** Milliseconds. */
export interface LeaseTimings {
  readonly leaseMs: number;
  readonly beatMs: number;
  /** Used without better evidence. */
  readonly silenceMs: number;
  /** Until a lost connection counts as death. */
  readonly returnMs: number;
  /** Minimum time between searches. */
  readonly lookMs: number;
  readonly monotonic: () => number;
}

export const defaultLeaseTimings: LeaseTimings = {
  leaseMs: 30_000,
  beatMs: 10_000,
  silenceMs: 60_000,
  returnMs: 500,
  lookMs: 5_000,
  monotonic: () => performance.now(),
};
