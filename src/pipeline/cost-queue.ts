import * as Effect from "effect/Effect";
import { toCauseOutcome } from "./4-layers/cause-outcomes.ts";
import type { CallServices } from "./call-services.ts";
import { type BoundCall, type StoppedCall, stopCall } from "./call-state.ts";
import { deferEffect, type MaybeEffect, type RestoreInterruption } from "./maybe-effect.ts";
import { holdCostTurn } from "./recorder.ts";

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

/** Calls inside another call queue separately, because the outer call holds its turn while they run. */
const costQueueOf = ({ request, parent }: BoundCall): CostQueue => {
  const owner = parent?.recorder ?? request.scope.tally;
  const known = costQueues.get(owner) ?? new CostQueue();
  costQueues.set(owner, known);
  return known;
};

/**
 * Where a rule or a budget limits cost, calls without `maxCost` run one after another: decided in parallel,
 * they could exceed the limit together.
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
