import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { SandboxError } from "../../words/errors.ts";
import type { Guest } from "./guest.ts";

/** The guests of one engine, so that none outlives it. */
export interface LiveGuests {
  /** Runs with a guest of its own, which is gone afterward with its folder. */
  readonly use: <A>(
    open: Effect.Effect<Guest, SandboxError>,
    run: (guest: Guest) => Effect.Effect<A, SandboxError>,
  ) => Effect.Effect<A, SandboxError>;
  /** Counts one that is kept ready as alive. */
  readonly add: (guest: Guest) => Guest;
  readonly isClosed: () => boolean;
  readonly close: Effect.Effect<void>;
}

/** Closed with the scope at the latest. */
export const liveGuests: Effect.Effect<LiveGuests, never, Scope> = Effect.gen(function* () {
  const alive = new Set<Guest>();
  let isClosed = false;
  const add = (guest: Guest): Guest => {
    alive.add(guest);
    return guest;
  };
  const leave = (guest: Guest): Effect.Effect<void> => {
    alive.delete(guest);
    return guest.leave;
  };
  const close = Effect.suspend(() => {
    isClosed = true;
    return Effect.forEach([...alive], leave, { concurrency: "unbounded", discard: true });
  });
  yield* Effect.addFinalizer(() => close);
  return {
    use: (open, run) =>
      Effect.suspend(() =>
        isClosed
          ? Effect.fail(new SandboxError("sandbox_failed", "The sandbox is closed.", { ran: false }))
          : Effect.acquireUseRelease(Effect.map(open, add), run, leave),
      ),
    add,
    isClosed: () => isClosed,
    close,
  };
});
