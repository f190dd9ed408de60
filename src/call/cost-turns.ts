import * as Effect from "effect/Effect";
import { toOutcome } from "./4-layers/to-outcome.ts";
import type { CallServices } from "./call-services.ts";
import { type BoundCall, type Stopped, stopped } from "./call-state.ts";
import { type Eventually, type Interruptible, later } from "./eventually.ts";
import { holdTurn } from "./recorder.ts";

/** Calls of one run that take turns, in the order they came. */
class Turns {
  #isTaken = false;
  readonly #queue = new Set<() => void>();

  tryTake(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  wait(admit: () => void): () => void {
    this.#queue.add(admit);
    return () => this.#queue.delete(admit);
  }

  readonly release = (): void => {
    const [next] = this.#queue;
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    this.#queue.delete(next);
    next();
  };
}

const turns = new WeakMap<object, Turns>();

/** What runs inside another call waits only for others inside it: the call around it has its turn already. */
const turnsOf = ({ request, parent }: BoundCall): Turns => {
  const owner = parent?.recorder ?? request.scope.tally;
  const known = turns.get(owner) ?? new Turns();
  turns.set(owner, known);
  return known;
};

/**
 * Where a rule counts what is spent, a call that does not say what it costs at most is decided after those before it
 * have ended: decided at once, they would spend more together than the rule allows.
 */
export const waitForTurn = (
  { policy }: CallServices,
  call: BoundCall,
  interruptible: Interruptible,
): Eventually<Stopped | undefined> => {
  if (policy.countsCost !== true || call.spec.maxCost !== undefined) return undefined;
  const { recorder, registration } = call;
  const mine = turnsOf(call);
  const hold = (): void => holdTurn(recorder, mine.release);
  if (mine.tryTake()) {
    hold();
    return undefined;
  }
  const waiting = Effect.callback<undefined>((resume) => {
    const leave = mine.wait(() => {
      hold();
      resume(Effect.succeed(undefined));
    });
    return Effect.sync(leave);
  });
  return later(
    Effect.matchCause(interruptible(waiting), {
      onSuccess: () => undefined,
      onFailure: (cause) => stopped(call, toOutcome(cause, registration.key)),
    }),
  );
};
