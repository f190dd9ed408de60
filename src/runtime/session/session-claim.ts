import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { RunRecorder } from "../../pipeline/recorder.ts";
import { loadRunCounters } from "../../pipeline/run-counters.ts";
import type { RunCounters, RunScope } from "../../types/call.ts";
import type { LedgerError } from "../../types/errors.ts";
import type { Failure } from "../../types/failure.ts";
import type { LedgerStore } from "../../types/ledger.ts";
import type { Principal } from "../../types/principal.ts";
import type { RunStore, RunSummary } from "../../types/run-store.ts";
import { CallLocks, turnCancelledFailure } from "./call-locks.ts";
import { ClaimQueue } from "./claim-queue.ts";

/** Who a session is of, and what the ledger knows it by. */
export interface SessionIdentity {
  readonly runId: string;
  readonly principal: Principal;
}

/** Why a turn cannot begin: every call of it is told. */
export type SessionClaimFailure = Pick<Failure, "code" | "message">;

/** The right of this process to write for a session, shared by the calls that are under way. */
export interface SessionClaim {
  readonly scope: RunScope;
  readonly book: RunStore | undefined;
  /** Aborted once another process has the session, as after this one seemed dead. */
  readonly lost: AbortController;
  readonly stopWatching: () => void;
  holders: number;
  /** The session is over for good: nothing is to be let go of. */
  isEnded: boolean;
}

/** A session as this process knows it. */
export class LiveSession {
  readonly identity: SessionIdentity;
  /** Taken to claim the session and to let go of it, so that nobody joins a claim that is being let go of. */
  readonly claims = new ClaimQueue();
  claim: SessionClaim | undefined;
  tally: RunCounters | undefined;
  lastEpoch: number | undefined;
  /** Nobody else ever made a call in it, so an id that is not in `seen` is new. */
  isAllKnown = false;
  /** The ids of calls that are on record, and the tools that each was of. */
  readonly seen = new Map<string, readonly string[]>();
  /** Calls that were said to need nobody and are not made yet, and what had been read by then. */
  readonly judged = new Map<string, readonly string[]>();
  readonly locks = new CallLocks();
  /** Calls that this process gave to the corridor: those are made once, even where the ledger has forgotten them. */
  readonly made = new Set<string>();

  constructor(identity: SessionIdentity) {
    this.identity = identity;
  }
}

/** How a process waits for another that is in a turn of the same session. */
export interface ClaimWaitOptions {
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs something as a part of the session's turn in this process. Whoever comes while one is under way joins it; where
 * another process is in a turn, it waits for a while and is then refused. It never takes the session away from anybody.
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

/** Another process is in a turn of it. */
const waitForClaim = (
  ledger: LedgerStore,
  live: LiveSession,
  { waitMs, signal }: ClaimWaitOptions,
  clock: Clock.Clock,
  interruptible: Interruptible,
): Effect.Effect<SessionClaim, SessionClaimFailure> =>
  Effect.gen(function* () {
    // Somebody may set the clock of the machine meanwhile.
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

/** Nothing where another process is in a turn of it. */
const joinOrClaim = (
  ledger: LedgerStore,
  live: LiveSession,
  clock: Clock.Clock,
): Effect.Effect<SessionClaim | undefined, SessionClaimFailure> =>
  Effect.suspend(() => {
    const { claim } = live;
    if (claim !== undefined && !claim.lost.signal.aborted) {
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

/** A ledger that keeps no runs cannot tell processes apart: the session is as old as this one. */
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

/** What the session has come to, by the ledger where somebody else may have gone on with it. */
const loadSessionCounters = (
  ledger: LedgerStore,
  live: LiveSession,
  epoch: number,
): Effect.Effect<RunCounters, LedgerError> => {
  // Between two claims of ours nobody else had it, so what this process counted is all there is.
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

/** The first turn of a session begins it, unless another process is just doing that. */
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
): SessionClaim => {
  const lost = new AbortController();
  return {
    scope: Object.freeze({ id: runId, agent: principal.agent, epoch, tally }),
    book: runs,
    lost,
    stopWatching: runs?.watch(runId, () => lost.abort()) ?? noop,
    holders: 1,
    isEnded: false,
  };
};

const noop = (): void => {};

/** The last one out lets go, so that any process may take the next turn. */
const releaseClaim = (live: LiveSession, claim: SessionClaim): Effect.Effect<void> =>
  live.claims.run(
    Effect.suspend(() => {
      claim.holders -= 1;
      if (claim.holders > 0) return Effect.void;
      claim.stopWatching();
      if (live.claim === claim) live.claim = undefined;
      const { book, scope, isEnded } = claim;
      if (book === undefined || scope.epoch === undefined || isEnded) return Effect.void;
      const { id: runId, epoch } = scope;
      return Effect.clockWith((clock) =>
        // A claim that was lost meanwhile is nobody's to let go of.
        Effect.ignore(
          book.end({
            runId,
            epoch,
            status: "pending",
            reason: betweenTurnsReason,
            at: clock.currentTimeMillisUnsafe(),
          }),
        ),
      );
    }),
  );

/** Why a session's run is `pending`: to the ledger it waits, whoever drives it. */
const betweenTurnsReason = "It is a session between two turns.";

const sessionBusyFailure = ({ principal }: SessionIdentity): SessionClaimFailure => ({
  code: "still_running",
  message: `The session "${principal.session}" is in another turn. Try again when that is over.`,
});

const toClaimFailure = (error: LedgerError | SessionEnded): SessionClaimFailure =>
  error instanceof SessionEnded
    ? { code: "not_answered", message: "The session has ended. Open one with another id." }
    : { code: error.code, message: error.message };
