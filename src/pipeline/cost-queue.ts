import * as Effect from "effect/Effect";
import { toOutcome } from "./4-layers/to-outcome.ts";
import type { CallServices } from "./call-services.ts";
import { type BoundCall, type Stopped, stopped } from "./call-state.ts";
import { type Eventually, type Interruptible, later } from "./eventually.ts";
import { holdTurn } from "./recorder.ts";

/** Calls of one run whose cost is not known beforehand: one at a time, in the order they came. */
class CostQueue {
  #isTaken = false;
  readonly #waiting = new Set<() => void>();

  tryTake(): boolean {
    if (this.#isTaken) return false;
    this.#isTaken = true;
    return true;
  }

  wait(admit: () => void): () => void {
    this.#waiting.add(admit);
    return () => this.#waiting.delete(admit);
  }

  readonly release = (): void => {
    const [next] = this.#waiting;
    if (next === undefined) {
      this.#isTaken = false;
      return;
    }
    this.#waiting.delete(next);
    next();
  };
}

const queues = new WeakMap<object, CostQueue>();

/** What runs inside another call waits only for others inside it: the call around it has its turn already. */
const queueOf = ({ request, parent }: BoundCall): CostQueue => {
  const owner = parent?.recorder ?? request.scope.tally;
  const known = queues.get(owner) ?? new CostQueue();
  queues.set(owner, known);
  return known;
};

/**
 * Where a rule or a budget counts what is spent, a call that does not say what it costs at most is decided after those before it
 * have ended: decided at once, they would spend more together than the rule allows.
 */
export const waitForCosts = (
  { policy }: CallServices,
  call: BoundCall,
  interruptible: Interruptible,
): Eventually<Stopped | undefined> => {
  const isCounted = policy.countsCost === true || call.request.scope.budget?.cost !== undefined;
  if (!isCounted || call.spec.maxCost !== undefined) return undefined;
  const { recorder, registration } = call;
  const mine = queueOf(call);
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
