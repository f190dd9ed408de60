/** How long things take that tell the living from the dead. */
export interface LeaseTimings {
  /** A server declares whoever has not renewed its lease for so long dead. */
  readonly leaseMs: number;
  readonly beatMs: number;
  /** Silence that counts as death where there is nothing better to go by. */
  readonly silenceMs: number;
  /** A server that does not see an owner's connection for so long is believed before the lease is over. */
  readonly returnMs: number;
  /** Others are looked after so often, if somebody asks. */
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
