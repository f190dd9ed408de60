import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { RunRecorder } from "../../pipeline/recorder.ts";
import { loadRunCounters } from "../../pipeline/run-counters.ts";
import { type LeaseEnd, type OpenRunLease, openRunLease } from "../../pipeline/run-lease.ts";
import type { RunCounters, RunScope } from "../../types/call.ts";
import type { LedgerError } from "../../types/errors.ts";
import type { Failure } from "../../types/failure.ts";
import type { LedgerStore } from "../../types/ledger.ts";
import type { Principal } from "../../types/principal.ts";
import type { RunStore, RunSummary } from "../../types/run-store.ts";
import { CallLocks, turnCancelledFailure } from "./call-locks.ts";

export interface SessionIdentity {
  readonly runId: string;
  readonly principal: Principal;
}

export type SessionClaimFailure = Pick<Failure, "code" | "message">;

export interface SessionClaim {
  readonly scope: RunScope;
  readonly runs: RunStore | undefined;
  /** Undefined without a ledger. */
  readonly lease: OpenRunLease | undefined;
  holders: number;
  isEnded: boolean;
}

export class LiveSession {
  readonly identity: SessionIdentity;
  /** Serializes claiming and releasing, so that no call joins a claim that is being released. */
  readonly claims = new ClaimQueue();
  claim: SessionClaim | undefined;
  tally: RunCounters | undefined;
  lastEpoch: number | undefined;
  /** No other process has made calls, so ids that are not in `seen` are new. */
  isAllKnown = false;
  /** Recorded call ids with their tools. */
  readonly recordedCalls = new Map<string, readonly string[]>();
  /** Calls that were found to need no approval and are not made yet, with their taints at that time. */
  readonly checkedCalls = new Map<string, readonly string[]>();
  readonly locks = new CallLocks();
  /** Calls that this process has made. They are not made again, even if the ledger no longer has them. */
  readonly madeCallKeys = new Set<string>();

  constructor(identity: SessionIdentity) {
    this.identity = identity;
  }
}

export interface ClaimWaitOptions {
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs `body` within this process's claim on the session. Concurrent calls share the claim. If another
 * process holds it, waits up to `waitMs` and then fails.
 */
export const withSessionClaim = <A, E>(
  ledger: LedgerStore,
  live: LiveSession,
  wait: ClaimWaitOptions,
  body: (claim: SessionClaim) => Effect.Effect<A, E>,
): Effect.Effect<A, E | SessionClaimFailure> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.flatMap(acquireClaim(ledger, live, wait, interruptible), (claim) =>
      Effect.onExit(interruptible(body(claim)), () => releaseClaim(live, claim)),
    ),
  );

type Interruptible = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>;

const acquireClaim = (
  ledger: LedgerStore,
  live: LiveSession,
  wait: ClaimWaitOptions,
  interruptible: Interruptible,
): Effect.Effect<SessionClaim, SessionClaimFailure> =>
  Effect.clockWith((clock) =>
    Effect.flatMap(live.claims.run(joinOrClaim(ledger, live, clock)), (claim) =>
      claim === undefined ? waitForClaim(ledger, live, wait, clock, interruptible) : Effect.succeed(claim),
    ),
  );

const waitForClaim = (
  ledger: LedgerStore,
  live: LiveSession,
  { waitMs, signal }: ClaimWaitOptions,
  clock: Clock.Clock,
  interruptible: Interruptible,
): Effect.Effect<SessionClaim, SessionClaimFailure> =>
  Effect.gen(function* () {
    // The monotonic clock is not affected by changes of the wall clock.
    const since = clock.monotonicTimeNanosUnsafe();
    const waited = (): number => Number(clock.monotonicTimeNanosUnsafe() - since) / 1e6;
    for (let pause = initialClaimDelayMs; ; pause = Math.min(pause * 2, maxClaimDelayMs)) {
      if (signal?.aborted === true) return yield* Effect.fail(turnCancelledFailure);
      if (waited() >= waitMs) return yield* Effect.fail(sessionBusyFailure(live.identity));
      yield* interruptible(Effect.sleep(pause));
      const claim = yield* live.claims.run(joinOrClaim(ledger, live, clock));
      if (claim !== undefined) return claim;
    }
  });

const initialClaimDelayMs = 5;
const maxClaimDelayMs = 200;

const joinOrClaim = (
  ledger: LedgerStore,
  live: LiveSession,
  clock: Clock.Clock,
): Effect.Effect<SessionClaim | undefined, SessionClaimFailure> =>
  Effect.suspend(() => {
    const { claim } = live;
    if (claim !== undefined && claim.lease?.lost.aborted !== true) {
      claim.holders += 1;
      return Effect.succeed(claim);
    }
    const claiming =
      ledger.runs === undefined ? claimInMemory(live) : claimInLedger(ledger, ledger.runs, live, clock);
    return Effect.map(claiming, (fresh) => {
      live.claim = fresh;
      return fresh;
    });
  });

const claimInMemory = (live: LiveSession): Effect.Effect<SessionClaim> =>
  Effect.sync(() => {
    live.tally ??= new RunRecorder();
    return createClaim(live, live.tally, undefined, undefined);
  });

const claimInLedger = (
  ledger: LedgerStore,
  runs: RunStore,
  live: LiveSession,
  clock: Clock.Clock,
): Effect.Effect<SessionClaim | undefined, SessionClaimFailure> => {
  const at = clock.currentTimeMillisUnsafe();
  const claimed = Effect.flatMap(runs.claim(live.identity.runId, at), (epoch) =>
    epoch === undefined ? beginSession(runs, live, at) : Effect.succeed(epoch),
  );
  const counted = Effect.flatMap(claimed, (epoch) =>
    epoch === undefined
      ? Effect.succeed(undefined)
      : Effect.map(loadSessionCounters(ledger, live, epoch), (tally) =>
          createClaim(live, tally, epoch, runs),
        ),
  );
  return Effect.mapError(counted, toClaimFailure);
};

const loadSessionCounters = (
  ledger: LedgerStore,
  live: LiveSession,
  epoch: number,
): Effect.Effect<RunCounters, LedgerError> => {
  // Consecutive epochs mean that no other process held the session in between.
  const isOurs = live.tally !== undefined && live.lastEpoch !== undefined && epoch === live.lastEpoch + 1;
  live.lastEpoch = epoch;
  if (isOurs) return Effect.succeed(live.tally!);
  live.isAllKnown = epoch === 1;
  const counting =
    epoch === 1
      ? Effect.succeed(new RunRecorder())
      : loadRunCounters(ledger, live.identity.runId, { taints: live.tally?.taints });
  return Effect.map(counting, (tally) => {
    live.tally = tally;
    return tally;
  });
};

const beginSession = (
  runs: RunStore,
  { identity: { runId, principal } }: LiveSession,
  at: number,
): Effect.Effect<number | undefined, LedgerError | SessionEnded> =>
  Effect.gen(function* () {
    const found = yield* runs.find(runId);
    if (found !== undefined)
      return isEndStatus(found.status) ? yield* Effect.fail(new SessionEnded()) : undefined;
    const begun = runs.begin({ runId, agent: principal.agent, principal, messages: [], at });
    return yield* Effect.catch(begun, (error) =>
      Effect.flatMap(runs.find(runId), (now) =>
        now === undefined ? Effect.fail(error) : Effect.succeed(undefined),
      ),
    );
  });

class SessionEnded {
  readonly _tag = "Over";
}

const isEndStatus = (status: RunSummary["status"]): boolean =>
  status === "done" || status === "stopped" || status === "cancelled";

const createClaim = (
  { identity: { runId, principal } }: LiveSession,
  tally: RunCounters,
  epoch: number | undefined,
  runs: RunStore | undefined,
): SessionClaim => ({
  scope: Object.freeze({ id: runId, agent: principal.agent, epoch, tally }),
  runs,
  lease: runs === undefined || epoch === undefined ? undefined : openRunLease(runs, runId, epoch),
  holders: 1,
  isEnded: false,
});

/** The last holder releases the claim, so that any process may make the next turn. */
const releaseClaim = (live: LiveSession, claim: SessionClaim): Effect.Effect<void> =>
  live.claims.run(
    Effect.suspend(() => {
      claim.holders -= 1;
      if (claim.holders > 0) return Effect.void;
      if (live.claim === claim) live.claim = undefined;
      return claim.lease?.release(claim.isEnded ? undefined : betweenTurns) ?? Effect.void;
    }),
  );

const betweenTurns: LeaseEnd = { status: "pending", reason: "The session is between two turns." };

const sessionBusyFailure = ({ principal }: SessionIdentity): SessionClaimFailure => ({
  code: "still_running",
  message: `The session "${principal.session}" is running another turn. Try again when it has ended.`,
});

const toClaimFailure = (error: LedgerError | SessionEnded): SessionClaimFailure =>
  error instanceof SessionEnded
    ? { code: "not_answered", message: "The session has ended. Open a session with another id." }
    : { code: error.code, message: error.message };

/** A FIFO mutex that is cheap without contention. */
class ClaimQueue {
  #isHeld = false;
  readonly #waiters = new Set<() => void>();

  /** The work is uninterruptible. */
  run<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.suspend(() => {
      if (this.#isHeld) return Effect.andThen(this.#wait, this.#runExclusive(work));
      this.#isHeld = true;
      return this.#runExclusive(work);
    });
  }

  readonly #wait: Effect.Effect<void> = Effect.callback<void>((resume) => {
    this.#waiters.add(() => resume(Effect.void));
  });

  #runExclusive<A, E>(work: Effect.Effect<A, E>): Effect.Effect<A, E> {
    return Effect.onExit(work, this.#release);
  }

  readonly #release = (): Effect.Effect<void> =>
    Effect.sync(() => {
      const [next] = this.#waiters;
      if (next === undefined) {
        this.#isHeld = false;
        return;
      }
      this.#waiters.delete(next);
      next();
    });
}
