import type { AuthorizedCall, RunCounters } from "../../types/call.ts";
import type { ToolLayer } from "../../types/layer.ts";
import type { Outcome } from "../../types/outcome.ts";
import { createOrderedLayer } from "./ordered-layer.ts";

/** The state that `runContext` or `agentContext` keeps, and how a call changes it. */
export interface ContextOptions<State> {
  readonly initial: () => State;
  /**
   * Takes a call's outcome into the state, and may answer with another. It runs after the inner call
   * and to its end, so parallel calls lose no update and none waits for another. Of several contexts around one call
   * the outermost is asked first; one that answers with a final stops those inside of it.
   */
  readonly step: (state: State, call: AuthorizedCall, outcome: Outcome) => readonly [State, Outcome];
}

/** State that lives as long as a run and is seen by nobody else. */
export const runContext = <State>({ initial, step }: ContextOptions<State>): ToolLayer => {
  // A session is claimed anew for each turn; what it has come to stays the same object.
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
