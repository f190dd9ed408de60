import * as Effect from "effect/Effect";
import type * as Exit from "effect/Exit";
import { LedgerError } from "../types/errors.ts";
import type { RunEnd, RunStore } from "../types/run-store.ts";

/** This process's claim on a run. */
export interface RunLease {
  readonly runId: string;
  /** Fencing token: the ledger refuses writes that carry an older one. */
  readonly epoch: number;
  /** Aborts when another process has claimed the run. */
  readonly lost: AbortSignal;
}

/** The status in which a lease leaves its run. */
export type LeaseEnd = Pick<RunEnd, "status" | "reason">;

export interface OpenRunLease extends RunLease {
  /** Records `end`, unless the lease was lost. Without `end` the run stays as the body left it. */
  readonly release: (end: LeaseEnd | undefined) => Effect.Effect<void>;
}

/** For leases that several calls share. All others use `withRunLease`. */
export const openRunLease = (runs: RunStore, runId: string, epoch: number): OpenRunLease => {
  const lost = new AbortController();
  const stopWatching = runs.watch(runId, () => lost.abort());
  const release = (end: LeaseEnd | undefined): Effect.Effect<void> =>
    Effect.clockWith((clock) => {
      const isRecorded = end !== undefined && !lost.signal.aborted;
      // If the write fails, the lease expires and another process finds the run.
      const recorded = isRecorded
        ? Effect.ignore(runs.end({ runId, epoch, ...end, at: clock.currentTimeMillisUnsafe() }))
        : Effect.void;
      // The write itself may find that the lease was lost.
      return Effect.ensuring(recorded, Effect.sync(stopWatching));
    });
  return { runId, epoch, lost: lost.signal, release };
};

export interface RunLeaseOptions<A, E> {
  readonly runId: string;
  /** Begins or claims the run, and returns its epoch. */
  readonly claim: Effect.Effect<number, E>;
  readonly endOf: (exit: Exit.Exit<A, E>) => LeaseEnd | undefined;
}

/**
 * Claims a run, runs `body` under the lease and releases it. The store sends the heartbeats. Fails with
 * `claim_lost` if the lease was lost before its end was recorded: then another process has the result.
 */
export const withRunLease = <A, E, R>(
  runs: RunStore,
  { runId, claim, endOf }: RunLeaseOptions<A, E>,
  body: (lease: RunLease) => Effect.Effect<A, E, R>,
): Effect.Effect<A, E | LedgerError, R> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.flatMap(claim, (epoch) => {
      const lease = openRunLease(runs, runId, epoch);
      const released = Effect.onExit(interruptible(body(lease)), (exit) => lease.release(endOf(exit)));
      return Effect.flatMap(released, (result) =>
        lease.lost.aborted ? Effect.fail(claimLostError(runId)) : Effect.succeed(result),
      );
    }),
  );

const claimLostError = (runId: string): LedgerError =>
  new LedgerError(
    "claim_lost",
    `Another process claimed the run "${runId}", so this process stopped it. The other process has its result.`,
  );
