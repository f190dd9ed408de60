import * as Effect from "effect/Effect";
import { toCauseOutcome } from "./4-layers/cause-outcomes.ts";
import type { CallServices } from "./call-services.ts";
import { type BoundCall, type StoppedCall, stopCall } from "./call-state.ts";
import { deferEffect, type MaybeEffect, type RestoreInterruption } from "./maybe-effect.ts";
import { holdCostTurn } from "./recorder.ts";

/** Calls of one run whose cost is not known beforehand: one at a time, in the order they came. */
class CostQueue {
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

const costQueues = new WeakMap<object, CostQueue>();

/** What runs inside another call waits only for others inside it: the call around it has its turn already. */
const costQueueOf = ({ request, parent }: BoundCall): CostQueue => {
  const owner = parent?.recorder ?? request.scope.tally;
  const known = costQueues.get(owner) ?? new CostQueue();
  costQueues.set(owner, known);
  return known;
};

/**
 * Where a rule or a budget counts what is spent, a call that does not say what it costs at most is decided after those before it
 * have ended: decided at once, they would spend more together than the rule allows.
 */
export const waitForCostTurn = (
  { policy }: CallServices,
  call: BoundCall,
  interruptible: RestoreInterruption,
): MaybeEffect<StoppedCall | undefined> => {
  const isCounted = policy.countsCost === true || call.request.scope.budget?.cost !== undefined;
  if (!isCounted || call.spec.maxCost !== undefined) return undefined;
  const { recorder, registration } = call;
  const queue = costQueueOf(call);
  const takeTurn = (): void => holdCostTurn(recorder, queue.release);
  if (queue.tryTake()) {
    takeTurn();
    return undefined;
  }
  const waiting = Effect.callback<undefined>((resume) => {
    const leave = queue.wait(() => {
      takeTurn();
      resume(Effect.succeed(undefined));
    });
    return Effect.sync(leave);
  });
  return deferEffect(
    Effect.matchCause(interruptible(waiting), {
      onSuccess: () => undefined,
      onFailure: (cause) => stopCall(call, toCauseOutcome(cause, registration.key)),
    }),
  );
};
