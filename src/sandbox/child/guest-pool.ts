import * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import { SandboxError } from "../../types/errors.ts";
import type { GuestProcess } from "./guest-process.ts";

/** No guest outlives its engine. */
export interface GuestPool {
  readonly use: <A>(
    open: Effect.Effect<GuestProcess, SandboxError>,
    run: (guest: GuestProcess) => Effect.Effect<A, SandboxError>,
  ) => Effect.Effect<A, SandboxError>;
  /** For guests that are kept ready. */
  readonly add: (guest: GuestProcess) => GuestProcess;
  readonly isClosed: () => boolean;
  readonly close: Effect.Effect<void>;
}

export const guestPool: Effect.Effect<GuestPool, never, Scope> = Effect.gen(function* () {
  const alive = new Set<GuestProcess>();
  let isClosed = false;
  const add = (guest: GuestProcess): GuestProcess => {
    alive.add(guest);
    return guest;
  };
  const leave = (guest: GuestProcess): Effect.Effect<void> => {
    alive.delete(guest);
    return guest.dispose;
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
