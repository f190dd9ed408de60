import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import { RunRecorder } from "../../call/recorder.ts";
import { loadRunTally } from "../../call/run-tally.ts";
import type { RunScope, RunTally } from "../../words/call.ts";
import type { LedgerError } from "../../words/errors.ts";
import type { Failure } from "../../words/failure.ts";
import type { LedgerStore } from "../../words/ledger.ts";
import type { Principal } from "../../words/principal.ts";
import type { RunBook, RunSummary } from "../../words/run-book.ts";
import { CallLocks, cutOff } from "./call-locks.ts";
import { ClaimQueue } from "./claim-queue.ts";

/** Who a session is of, and what the ledger knows it by. */
export interface SessionIdentity {
  readonly runId: string;
  readonly principal: Principal;
}

/** Why a turn cannot begin: every call of it is told. */
export type Unclaimed = Pick<Failure, "code" | "message">;

/** The right of this process to write for a session, shared by the calls that are under way. */
export interface SessionClaim {
  readonly scope: RunScope;
  readonly book: RunBook | undefined;
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
  tally: RunTally | undefined;
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
export interface Patience {
  readonly waitMs: number;
  readonly signal: AbortSignal | undefined;
}

/**
 * Runs something as a part of the session's turn in this process. Whoever comes while one is under way joins it; where
 * another process is in a turn, it waits for a while and is then refused. It never takes the session away from anybody.
 */
export const duringTurn = <A, E>(
  ledger: LedgerStore,
  live: LiveSession,
  patience: Patience,
  body: (claim: SessionClaim) => Effect.Effect<A, E>,
): Effect.Effect<A, E | Unclaimed> =>
  Effect.uninterruptibleMask((interruptible) =>
    Effect.flatMap(enter(ledger, live, patience, interruptible), (claim) =>
      Effect.onExit(interruptible(body(claim)), () => leave(live, claim)),
    ),
  );

type Interruptible = <A, E>(effect: Effect.Effect<A, E>) => Effect.Effect<A, E>;

const enter = (
  ledger: LedgerStore,
  live: LiveSession,
  patience: Patience,
  interruptible: Interruptible,
): Effect.Effect<SessionClaim, Unclaimed> =>
  Effect.clockWith((clock) =>
    Effect.flatMap(live.claims.run(joinOrClaim(ledger, live, clock)), (claim) =>
      claim === undefined ? waitFor(ledger, live, patience, clock, interruptible) : Effect.succeed(claim),
    ),
  );

/** Another process is in a turn of it. */
const waitFor = (
  ledger: LedgerStore,
  live: LiveSession,
  { waitMs, signal }: Patience,
  clock: Clock.Clock,
  interruptible: Interruptible,
): Effect.Effect<SessionClaim, Unclaimed> =>
  Effect.gen(function* () {
    // Somebody may set the clock of the machine meanwhile.
    const since = clock.monotonicTimeNanosUnsafe();
    const waited = (): number => Number(clock.monotonicTimeNanosUnsafe() - since) / 1e6;
    for (let pause = firstPauseMs; ; pause = Math.min(pause * 2, longestPauseMs)) {
      if (signal?.aborted === true) return yield* Effect.fail(cutOff);
      if (waited() >= waitMs) return yield* Effect.fail(busy(live.identity));
      yield* interruptible(Effect.sleep(pause));
      const claim = yield* live.claims.run(joinOrClaim(ledger, live, clock));
      if (claim !== undefined) return claim;
    }
  });

const firstPauseMs = 5;
const longestPauseMs = 200;

/** Nothing where another process is in a turn of it. */
const joinOrClaim = (
  ledger: LedgerStore,
  live: LiveSession,
  clock: Clock.Clock,
): Effect.Effect<SessionClaim | undefined, Unclaimed> =>
  Effect.suspend(() => {
    const { claim } = live;
    if (claim !== undefined && !claim.lost.signal.aborted) {
      claim.holders += 1;
      return Effect.succeed(claim);
    }
    const claiming = ledger.runs === undefined ? unrecorded(live) : claimIn(ledger, ledger.runs, live, clock);
    return Effect.map(claiming, (fresh) => {
      live.claim = fresh;
      return fresh;
    });
  });

/** A ledger that keeps no runs cannot tell processes apart: the session is as old as this one. */
const unrecorded = (live: LiveSession): Effect.Effect<SessionClaim> =>
  Effect.sync(() => {
    live.tally ??= new RunRecorder();
    return newClaim(live, live.tally, undefined, undefined);
  });

const claimIn = (
  ledger: LedgerStore,
  runs: RunBook,
  live: LiveSession,
  clock: Clock.Clock,
): Effect.Effect<SessionClaim | undefined, Unclaimed> => {
  const at = clock.currentTimeMillisUnsafe();
  const claimed = Effect.flatMap(runs.claim(live.identity.runId, at), (epoch) =>
    epoch === undefined ? beginIn(runs, live, at) : Effect.succeed(epoch),
  );
  const counted = Effect.flatMap(claimed, (epoch) =>
    epoch === undefined
      ? Effect.succeed(undefined)
      : Effect.map(countIn(ledger, live, epoch), (tally) => newClaim(live, tally, epoch, runs)),
  );
  return Effect.mapError(counted, toUnclaimed);
};

/** What the session has come to, by the ledger where somebody else may have gone on with it. */
const countIn = (
  ledger: LedgerStore,
  live: LiveSession,
  epoch: number,
): Effect.Effect<RunTally, LedgerError> => {
  // Between two claims of ours nobody else had it, so what this process counted is all there is.
  const isOurs = live.tally !== undefined && live.lastEpoch !== undefined && epoch === live.lastEpoch + 1;
  live.lastEpoch = epoch;
  if (isOurs) return Effect.succeed(live.tally!);
  live.isAllKnown = epoch === 1;
  const counting =
    epoch === 1
      ? Effect.succeed(new RunRecorder())
      : loadRunTally(ledger, live.identity.runId, live.tally?.taints);
  return Effect.map(counting, (tally) => {
    live.tally = tally;
    return tally;
  });
};

/** The first turn of a session begins it, unless another process is just doing that. */
const beginIn = (
  runs: RunBook,
  { identity: { runId, principal } }: LiveSession,
  at: number,
): Effect.Effect<number | undefined, LedgerError | Over> =>
  Effect.gen(function* () {
    const found = yield* runs.find(runId);
    if (found !== undefined) return overFor(found.status) ? yield* Effect.fail(new Over()) : undefined;
    const begun = runs.begin({ runId, agent: principal.agent, principal, messages: [], at });
    return yield* Effect.catch(begun, (error) =>
      Effect.flatMap(runs.find(runId), (now) =>
        now === undefined ? Effect.fail(error) : Effect.succeed(undefined),
      ),
    );
  });

class Over {
  readonly _tag = "Over";
}

const overFor = (status: RunSummary["status"]): boolean =>
  status === "done" || status === "stopped" || status === "cancelled";

const newClaim = (
  { identity: { runId, principal } }: LiveSession,
  tally: RunTally,
  epoch: number | undefined,
  book: RunBook | undefined,
): SessionClaim => {
  const lost = new AbortController();
  return {
    scope: Object.freeze({ id: runId, agent: principal.agent, epoch, tally }),
    book,
    lost,
    stopWatching: book?.watch(runId, () => lost.abort()) ?? nothing,
    holders: 1,
    isEnded: false,
  };
};

const nothing = (): void => {};

/** The last one out lets go, so that any process may take the next turn. */
const leave = (live: LiveSession, claim: SessionClaim): Effect.Effect<void> =>
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
            reason: betweenTurns,
            at: clock.currentTimeMillisUnsafe(),
          }),
        ),
      );
    }),
  );

/** Why a session's run is `pending`: to the ledger it waits, whoever drives it. */
const betweenTurns = "It is a session between two turns.";

const busy = ({ principal }: SessionIdentity): Unclaimed => ({
  code: "still_running",
  message: `The session "${principal.session}" is in another turn. Try again when that is over.`,
});

const toUnclaimed = (error: LedgerError | Over): Unclaimed =>
  error instanceof Over
    ? { code: "not_answered", message: "The session has ended. Open one with another id." }
    : { code: error.code, message: error.message };
