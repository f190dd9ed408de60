import * as Clock from "effect/Clock";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import type { ApprovalDecision } from "../words/approval.ts";
import type { AuthorizedCall, BoundCall, HydratedCall, Trip } from "../words/call.ts";
import type { LedgerError, ToolError } from "../words/errors.ts";
import type { Failure } from "../words/failure.ts";
import { type Failed, failed, isOutcome, type Outcome } from "../words/outcome.ts";
import { CurrentPrincipal, type Principal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import { isReadOnly } from "../words/spec.ts";
import { find, type Shown } from "./1-hydrate/find.ts";
import { hydrate } from "./1-hydrate/hydrate.ts";
import { isMendable, mend } from "./1-hydrate/mend.ts";
import { reviseInput } from "./1-hydrate/read-input.ts";
import { bind } from "./2-bind/bind.ts";
import { authorize, isQuestion, type Question } from "./3-authorize/authorize.ts";
import { gate } from "./3-authorize/gate.ts";
import { needsPerson } from "./3-authorize/refuse.ts";
import { waitingRoom } from "./3-authorize/waiting-room.ts";
import { noScopes, type Scopes, stacks } from "./4-layers/stack.ts";
import { broke, orBroke, toOutcome, unasked } from "./4-layers/to-outcome.ts";
import { run } from "./5-run/run.ts";
import { type Checked, check } from "./6-check/check.ts";
import { announceEnd, announceStart } from "./7-record/announce.ts";
import { maskFailure } from "./7-record/mask-failure.ts";
import { close, hasRun, open, unrecorded } from "./7-record/record.ts";
import { toReply } from "./8-reply/reply.ts";
import { beforehand, claimKey, isSettled } from "./beforehand.ts";
import type { House } from "./house.ts";
import type { Restore, WaitingCall } from "./in-steps.ts";
import type { Resuming } from "./resume.ts";
import { count, isOfModel, taintsOf } from "./tally.ts";

export { isCutOff } from "./1-hydrate/cut-off.ts";
export type { Shown } from "./1-hydrate/find.ts";
export { noScopes, type Scopes } from "./4-layers/stack.ts";
export { tripOf } from "./5-run/running-context.ts";
export type { WaitingCall } from "./in-steps.ts";
export type { Resuming } from "./resume.ts";

/** One walk down the corridor: the call, and who walks it since when. */
export interface Walk {
  readonly trip: Trip;
  readonly principal: Principal | undefined;
  readonly scopes: Scopes;
  readonly clock: Clock.Clock;
  readonly since: bigint;
  /** Why nothing could be written down, if nothing could. */
  readonly down: LedgerError | undefined;
}

export interface ToolCorridor {
  /** From a raw call to its one reply. Never fails; when interrupted, the entry is closed all the same. */
  readonly walk: (trip: Trip, scopes: Scopes, shown?: Shown) => Effect.Effect<Reply>;
  /** Stage 1 alone: a call that waits, or the reply to one that cannot be used. */
  readonly hydrate: (trip: Trip, scopes: Scopes, shown?: Shown) => Effect.Effect<WaitingCall | Reply>;
  /** Seen and answered, but not run: the turn ended before its time came. */
  readonly decline: (trip: Trip, failure: Failure) => Effect.Effect<Reply>;
  /** What came of a call that an earlier process made; one that never started walks now. */
  readonly recover: (trip: Trip, scopes: Scopes, shown?: Shown) => Effect.Effect<Reply>;
  /** Goes on with a pending call. An id that is unknown, answered or another caller's is all the same. */
  readonly resume: (
    approvalId: string,
    /** Left out, the answer is the one that the ledger has. */
    decision: ApprovalDecision | undefined,
    resuming: Resuming,
  ) => Effect.Effect<Reply, ToolError>;
}

export class Corridor extends Context.Service<Corridor, ToolCorridor>()("haft/Corridor") {}

/** The order of the path is written here and nowhere else. */
export const corridor = (house: House): ToolCorridor => {
  const revise = <Call extends HydratedCall>(call: Call, input: unknown) => reviseInput(house, call, input);
  const stackOf = stacks(house.layers, gate(house, revise)(run(house)));
  const waiting = waitingRoom<Walk>(house, revise);

  /** Stages 1 to 3: nothing in here touches the world, and each failure outranks those after it. */
  const prepare = (walk: Walk, shown: Shown | undefined): AuthorizedCall | Outcome | Question => {
    try {
      return decideAll(walk, shown);
    } catch (cause) {
      return broke(walk.trip.raw.tool, cause);
    }
  };

  const decideAll = (walk: Walk, shown: Shown | undefined): AuthorizedCall | Outcome | Question => {
    const hydrated = hydrate(house, walk.trip, walk.principal, shown);
    return isOutcome(hydrated) ? hydrated : decide(walk, hydrated);
  };

  const decide = (walk: Walk, hydrated: HydratedCall): AuthorizedCall | Outcome | Question => {
    const bound = bind(hydrated);
    if (isOutcome(bound)) return bound;
    walk.trip.reached = bound;
    const { approvers } = stackOf(bound.registration.tool, walk.scopes);
    const authorized = authorize(house, bound, approvers, revise);
    if (walk.down === undefined || isOutcome(authorized) || readsAnyway(house, bound)) return authorized;
    return unrecorded(bound.registration.key, walk.down, false);
  };

  /** The walk with arguments that a mender gave, where one was named and stage 1 had to refuse. */
  const mended = (
    walk: Walk,
    shown: Shown | undefined,
    refusal: Failed,
    restore: Restore,
  ): Effect.Effect<Walk> => {
    const { trip, principal } = walk;
    const found = principal === undefined ? refusal : find(house, trip.raw.tool, principal, shown);
    if (isOutcome(found)) return Effect.succeed(walk);
    return Effect.map(restore(mend(trip, found.tool, refusal.failure.message)), (after) => ({
      ...walk,
      trip: after,
    }));
  };

  const enter = (walk: Walk, call: AuthorizedCall): Effect.Effect<Outcome> => {
    try {
      const effect = stackOf(call.registration.tool, walk.scopes).handler(call);
      return Effect.isEffect(effect) ? effect : Effect.die("a layer answered without an Effect");
    } catch (thrown) {
      return Effect.die(thrown);
    }
  };

  /** Counted with the grant, so that the calls of one turn see each other, and not at all if it is not made. */
  const pass = (walk: Walk, call: AuthorizedCall, restore: Restore): Effect.Effect<Reply> => {
    const tally = isOfModel(call.registration.key) ? undefined : call.trip.scope.tally;
    if (tally !== undefined) tally.calls += 1;
    if (walk.down !== undefined || isSettled(house, call)) return through(walk, call, restore);
    const at = walk.clock.currentTimeMillisUnsafe();
    const settled = beforehand(house, call, labelsOf(walk, call), at);
    if (settled === undefined) return through(walk, call, restore);
    return Effect.flatMap(settled, (instead) => {
      if (instead === undefined) return through(walk, call, restore);
      if (tally !== undefined) tally.calls -= 1;
      return finish(walk, instead, call);
    });
  };

  /** Stages 4 and 5: the only part that can be interrupted, and whatever happens in it, an outcome comes out. */
  const through = (walk: Walk, call: AuthorizedCall, restore: Restore): Effect.Effect<Reply> =>
    Effect.matchCauseEffect(restore(enter(walk, call)), {
      onSuccess: (outcome) => finish(walk, orBroke(outcome, call.registration.key), call),
      onFailure: (cause) => finish(walk, toOutcome(cause, call.registration.key), call),
    });

  /** A layer that breaks when it is put around a tool has no name either. */
  const labelsOf = ({ scopes }: Walk, { registration: { tool } }: BoundCall): readonly string[] => {
    try {
      return stackOf(tool, scopes).labels;
    } catch {
      return [];
    }
  };

  /** The same for a call that a person must be asked about first. What is not on record cannot wait. */
  const wait = (walk: Walk, question: Question, restore: Restore): Effect.Effect<Reply> => {
    const { call } = question;
    if (walk.down !== undefined) return finish(walk, needsPerson(call, question.reason), call);
    const asked = Effect.matchCauseEffect(restore(waiting.ask(question, walk)), {
      onSuccess: (answer) => go(walk, answer, call, restore),
      onFailure: (cause) => finish(walk, unasked(cause, call.registration.key), call),
    });
    if (call.trip.key === undefined) return asked;
    // Nobody is asked about a call that was made before.
    return Effect.flatMap(claimKey(house, call, walk.clock.currentTimeMillisUnsafe()), (instead) =>
      instead === undefined ? asked : finish(walk, instead, call),
    );
  };

  const go = (
    walk: Walk,
    ready: AuthorizedCall | Outcome | Question,
    call: BoundCall | undefined,
    restore: Restore,
  ): Effect.Effect<Reply> => {
    if (isOutcome(ready)) return finish(walk, ready, call);
    return isQuestion(ready) ? wait(walk, ready, restore) : pass(walk, ready, restore);
  };

  /** Stages 6 to 8: held against the promise, written down, announced, and only then put into words. */
  const finish = (walk: Walk, given: Outcome, last: BoundCall | undefined): Effect.Effect<Reply> => {
    const { trip, principal } = walk;
    const call = last ?? trip.reached;
    const { text, outcome } = hold(asItWas(given, trip), call);
    const durationMs = Number(walk.clock.monotonicTimeNanosUnsafe() - walk.since) / 1e6;
    const taints = taintsOf(trip, call, outcome);
    const layers = call === undefined ? undefined : labelsOf(walk, call);
    const ended = { trip, call, outcome, text, durationMs, layers, taints };
    const written = walk.down === undefined ? close(house, ended) : undefined;
    count(trip, taints);
    const tell = (told: Outcome): Reply => {
      announceEnd(house, trip, principal, call?.registration.key, told, durationMs);
      const reply = toReply(trip.raw, told, text, house.redactor, taints);
      if (trip.told !== undefined) trip.told.reply = reply;
      return reply;
    };
    if (written === undefined) return Effect.succeed(tell(outcome));
    return Effect.map(written, (lost) => {
      if (lost === undefined || call === undefined || readsAnyway(house, call)) return tell(outcome);
      if (outcome._tag === "pending") waiting.leave(outcome.approval.id);
      return tell(mask(unrecorded(call.registration.key, lost, hasRun(trip))));
    });
  };

  /** Foreign values are looked at in here; whatever they do, something comes out that can be recorded. */
  const hold = (given: Outcome, call: BoundCall | undefined): Checked => {
    try {
      const { text, outcome } = check(call?.registration, given, house.settings.maxResultBytes);
      return { text, outcome: mask(outcome) };
    } catch {
      return { text: "", outcome: mask(broke(call?.registration.key ?? "", "its outcome cannot be read")) };
    }
  };

  const mask = (outcome: Outcome): Outcome =>
    outcome._tag === "failure" ? failed(maskFailure(outcome.failure, house.redactor)) : outcome;

  const begin = <A>(trip: Trip, scopes: Scopes, then: (walk: Walk) => Effect.Effect<A>): Effect.Effect<A> =>
    Effect.withFiber((fiber) => {
      const clock = fiber.getRef(Clock.Clock);
      const principal = trip.principal ?? fiber.getRef(CurrentPrincipal);
      const walk = anew(trip, scopes, clock, principal);
      const written = open(house, trip, principal, clock.currentTimeMillisUnsafe());
      return written === undefined ? then(walk) : Effect.flatMap(written, (down) => then({ ...walk, down }));
    });

  const start = (walk: Walk, shown: Shown | undefined, restore: Restore): Effect.Effect<Reply> => {
    announceStart(house, walk.trip, walk.principal);
    const ready = prepare(walk, shown);
    if (!isMendable(walk.trip, ready)) return go(walk, ready, undefined, restore);
    return Effect.matchCauseEffect(mended(walk, shown, ready, restore), {
      onSuccess: (again) => go(again, prepare(again, shown), undefined, restore),
      onFailure: (cause) => finish(walk, toOutcome(cause, walk.trip.raw.tool), undefined),
    });
  };

  const walk: ToolCorridor["walk"] = (trip, scopes, shown) =>
    Effect.uninterruptibleMask((restore) => begin(trip, scopes, (one) => start(one, shown, restore)));

  const resume: ToolCorridor["resume"] = (approvalId, decision, resuming) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.flatMap(Effect.promise(loadResume), ({ resumeCall }) =>
        resumeCall({ house, waiting, stackOf, anew, finish, go }, approvalId, decision, {
          ...resuming,
          restore,
        }),
      ),
    );

  return {
    walk,
    resume,
    recover: (trip, scopes, shown) =>
      Effect.flatMap(Effect.promise(loadRecover), ({ recoverCall }) =>
        recoverCall({ house, walk, resume }, trip, scopes, shown),
      ),
    hydrate: (trip, scopes, shown) =>
      Effect.flatMap(Effect.promise(loadSteps), ({ inSteps }) =>
        inSteps<Walk>({ house, mended, decide, begin, finish, go })(trip, scopes, shown),
      ),
    decline: (trip, failure) =>
      Effect.uninterruptible(
        begin(trip, noScopes, (walk) => {
          announceStart(house, trip, walk.principal);
          return finish(walk, failed(failure), undefined);
        }),
      ),
  };
};

const anew = (trip: Trip, scopes: Scopes, clock: Clock.Clock, principal: Principal | undefined): Walk => ({
  trip,
  principal,
  scopes,
  clock,
  since: clock.monotonicTimeNanosUnsafe(),
  down: undefined,
});

/** What only some calls need is loaded with the first of them. */
const loadSteps = () => import("./in-steps.ts");
const loadResume = () => import("./resume.ts");
const loadRecover = () => import("./recover.ts");

/** A layer may answer with a failure of its own, and a call may be stopped: what was started is what counts. */
const asItWas = (outcome: Outcome, trip: Trip): Outcome => {
  if (outcome._tag !== "failure") return outcome;
  const ran = hasRun(trip);
  return (outcome.failure.ran ?? false) === ran ? outcome : failed({ ...outcome.failure, ran });
};

const readsAnyway = (house: House, call: BoundCall): boolean =>
  house.settings.readsWithoutLedger && isReadOnly(call.spec);
