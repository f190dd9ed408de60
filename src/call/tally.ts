import { taintOf } from "../policy/taint.ts";
import type { BoundCall, RunTally, Trip } from "../words/call.ts";
import { stageOf } from "../words/failure.ts";
import type { Outcome } from "../words/outcome.ts";

const none: readonly string[] = Object.freeze([]);

export const newTally = (taints: readonly string[] = none): RunTally => ({
  calls: 0,
  cost: 0,
  taints: taints.length === 0 ? none : [...new Set(taints)],
});

/** From now on the run has heard words that are not to be trusted. */
export const addTaints = (tally: RunTally, taints: readonly string[]): void => {
  tally.taints = joined(tally.taints, taints) ?? none;
};

/** Both, each once; nothing where there are none. */
export const joined = (
  some: readonly string[] | undefined,
  others: readonly string[] | undefined,
): readonly string[] | undefined => {
  if (others === undefined || others.length === 0) return some;
  if (some === undefined || some.length === 0) return others;
  return others.every((each) => some.includes(each)) ? some : [...new Set([...some, ...others])];
};

/** Tools whose untrusted words are in what the model is told of a call: its own, and those its code has heard. */
export const taintsOf = (
  trip: Trip,
  call: BoundCall | undefined,
  outcome: Outcome,
): readonly string[] | undefined => {
  const own = call !== undefined && speaks(outcome) ? taintOf(call.registration) : undefined;
  const inner = outcome._tag === "value" ? joined(outcome.taints, trip.heard) : trip.heard;
  return own === undefined ? inner : joined([own], inner);
};

/** Whether the tool has a word in it: a value, or a failure of its own, whatever it says of having run. */
const speaks = (outcome: Outcome): boolean => {
  if (outcome._tag !== "failure") return outcome._tag === "value";
  const stage = stageOf(outcome.failure);
  return stage === "run" || stage === "check";
};

/** What a call inside another's code said, that code has heard at once; the calls of a turn are heard after all of it. */
export const count = (trip: Trip, taints: readonly string[] | undefined): void => {
  const { scope, cost, parent } = trip;
  if (scope.tally !== undefined) scope.tally.cost += cost ?? 0;
  if (taints === undefined || parent === undefined || parent.scope !== scope) return;
  parent.heard = joined(parent.heard, taints);
  if (scope.tally !== undefined) addTaints(scope.tally, taints);
};

/** A question to a model is no call of a tool, though it costs. */
export const isOfModel = (key: string): boolean => key.startsWith("model:");
