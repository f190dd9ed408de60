import type { AuthorizedCall, RunCounters } from "../../types/call.ts";
import type { Outcome } from "../../types/outcome.ts";
import type { ToolLayer } from "../../types/tool.ts";
import { createOrderedLayer } from "./ordered-layer.ts";

/** Options of `runContext` and `agentContext`. */
export interface ContextOptions<State> {
  readonly initial: () => State;
  /**
   * Updates the state with an outcome and returns the outcome, possibly changed. Of several contexts the
   * outermost runs first; a final outcome skips the inner ones.
   */
  readonly step: (state: State, call: AuthorizedCall, outcome: Outcome) => readonly [State, Outcome];
}

/** Keeps state per run. */
export const runContext = <State>({ initial, step }: ContextOptions<State>): ToolLayer => {
  // Keyed by the counters, because a session gets a new scope with each claim.
  const states = new WeakMap<RunCounters, State>();
  const applyStep = (call: AuthorizedCall, outcome: Outcome): Outcome => {
    const { tally } = call.request.scope;
    const state = states.has(tally) ? (states.get(tally) as State) : initial();
    const [after, answer] = step(state, call, outcome);
    states.set(tally, after);
    return answer;
  };
  return createOrderedLayer("runContext", applyStep);
};
