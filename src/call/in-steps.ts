import type * as Clock from "effect/Clock";
import * as Effect from "effect/Effect";
import type { AuthorizedCall, HydratedCall, Trip } from "../words/call.ts";
import type { LedgerError } from "../words/errors.ts";
import { type Failed, failed, isOutcome, type Outcome } from "../words/outcome.ts";
import type { Principal } from "../words/principal.ts";
import type { Reply } from "../words/reply.ts";
import type { Shown } from "./1-hydrate/find.ts";
import { hydrate } from "./1-hydrate/hydrate.ts";
import { isMendable } from "./1-hydrate/mend.ts";
import { reviseInput } from "./1-hydrate/read-input.ts";
import type { Question } from "./3-authorize/authorize.ts";
import type { Scopes } from "./4-layers/stack.ts";
import { broke, toOutcome } from "./4-layers/to-outcome.ts";
import { announceStart } from "./7-record/announce.ts";
import { closeAbandoned, closeHydrated, open, type Written } from "./7-record/record.ts";
import type { House } from "./house.ts";

/** A call that has passed stage 1 and goes on when its orchestrator says so, or never. */
export interface WaitingCall {
  readonly call: HydratedCall;
  /** What a class tool gives its orchestrator. */
  readonly subject: object | undefined;
  /** Other arguments than those it came with are read and validated like the first. */
  readonly go: (params?: unknown) => Effect.Effect<Reply>;
}

export type Restore = <A>(effect: Effect.Effect<A>) => Effect.Effect<A>;

type Ready = AuthorizedCall | Outcome | Question;

interface AnyWalk {
  readonly trip: Trip;
  readonly principal: Principal | undefined;
  readonly clock: Clock.Clock;
  readonly down: LedgerError | undefined;
}

/** The parts of the corridor on both sides of the pause. */
interface Parts<Walk extends AnyWalk> {
  readonly house: House;
  readonly begin: <A>(trip: Trip, scopes: Scopes, then: (walk: Walk) => Effect.Effect<A>) => Effect.Effect<A>;
  readonly mended: (
    walk: Walk,
    shown: Shown | undefined,
    refusal: Failed,
    restore: Restore,
  ) => Effect.Effect<Walk>;
  readonly decide: (walk: Walk, call: HydratedCall) => Ready;
  readonly go: (walk: Walk, ready: Ready, call: undefined, restore: Restore) => Effect.Effect<Reply>;
  readonly finish: (walk: Walk, outcome: Outcome, call: undefined) => Effect.Effect<Reply>;
}

/** The corridor with a pause after stage 1, so that an orchestrator decides when a call goes on. */
export const inSteps = <Walk extends AnyWalk>({ house, begin, mended, decide, go, finish }: Parts<Walk>) => {
  const stay = (
    walk: Walk,
    shown: Shown | undefined,
    restore: Restore,
  ): Effect.Effect<WaitingCall | Reply> => {
    const hydrated = attempt(walk, () => hydrate(house, walk.trip, walk.principal, shown));
    if (isMendable(walk.trip, hydrated)) {
      return Effect.matchCauseEffect(mended(walk, shown, hydrated, restore), {
        onSuccess: (again) => stay(again, shown, restore),
        onFailure: (cause) => refuse(walk, toOutcome(cause, walk.trip.raw.tool)),
      });
    }
    if (isOutcome(hydrated)) return refuse(walk, hydrated);
    const subject = instantiate(hydrated);
    if (isOutcome(subject)) return refuse(walk, subject);
    const { key } = hydrated.registration;
    const written = walk.down === undefined ? closeHydrated(house, walk.trip, key) : undefined;
    const waits = (lost: LedgerError | undefined): WaitingCall => {
      const waiting: WaitingCall = {
        call: hydrated,
        subject,
        go: (params) => {
          abandoned.unregister(waiting);
          return goOn({ ...walk, down: walk.down ?? lost }, hydrated, params);
        },
      };
      if (walk.down === undefined) abandoned.register(waiting, lastEntry(house, walk.trip, key), waiting);
      return waiting;
    };
    return written === undefined ? Effect.succeed(waits(undefined)) : Effect.map(written, waits);
  };

  const refuse = (walk: Walk, outcome: Outcome): Effect.Effect<Reply> => {
    announceStart(house, walk.trip, walk.principal);
    return finish(walk, outcome, undefined);
  };

  const goOn = (walk: Walk, call: HydratedCall, params: unknown): Effect.Effect<Reply> =>
    Effect.uninterruptibleMask((restore) => {
      announceStart(house, walk.trip, walk.principal);
      const since = walk.clock.monotonicTimeNanosUnsafe();
      // Open again, so that nobody takes it for a call that waits while its code runs.
      const written =
        walk.down === undefined
          ? open(house, walk.trip, walk.principal, walk.clock.currentTimeMillisUnsafe())
          : undefined;
      const proceed = (lost: LedgerError | undefined): Effect.Effect<Reply> => {
        const again = { ...walk, since, down: walk.down ?? lost };
        return go(
          again,
          attempt(again, () => decideLate(again, call, params)),
          undefined,
          restore,
        );
      };
      return written === undefined ? proceed(undefined) : Effect.flatMap(written, proceed);
    });

  /** Much may have happened since stage 1: the tool may be gone, and policy is asked only now. */
  const decideLate = (walk: Walk, call: HydratedCall, params: unknown): Ready => {
    const { key, origin } = call.registration;
    if (origin !== "agent" && house.registry.get(key) !== call.registration) return gone(key);
    const revised = params === undefined ? call : reviseInput(house, call, params);
    return isOutcome(revised) ? revised : decide(walk, revised);
  };

  return (trip: Trip, scopes: Scopes, shown?: Shown): Effect.Effect<WaitingCall | Reply> =>
    Effect.uninterruptibleMask((restore) => begin(trip, scopes, (walk) => stay(walk, shown, restore)));
};

/** Made apart from the call itself, which it would keep alive otherwise. */
const lastEntry = (house: House, trip: Trip, key: string) => (): Written => closeAbandoned(house, trip, key);

/** A call that nobody can go on with any more is over, or its open entry would stay for good. */
const abandoned = new FinalizationRegistry<() => Written>((close) => {
  const written = close();
  if (written !== undefined) Effect.runFork(written);
});

const attempt = <A>({ trip }: AnyWalk, body: () => A): A | Outcome => {
  try {
    return body();
  } catch (cause) {
    return broke(trip.raw.tool, cause);
  }
};

/** A constructor is the tool's own code: what it throws is a failure of the tool. */
const instantiate = ({ registration, input }: HydratedCall): object | Outcome | undefined => {
  try {
    return registration.tool.implementation.prepare?.(input);
  } catch (cause) {
    const why = cause instanceof Error ? cause.message : String(cause);
    const message = `The tool "${registration.key}" could not be made ready: ${why}`;
    return failed({ code: "failed", tool: registration.key, ran: true, message, cause });
  }
};

const gone = (key: string): Outcome =>
  failed({ code: "unknown_tool", tool: key, message: `The tool "${key}" is not there any more.` });
