import type { BoundCall } from "../call-state.ts";

export const findExceededBudget = ({ request, spec, recorder }: BoundCall): string | undefined => {
  const { budget, tally } = request.scope;
  // A resumed call was already counted when it first started.
  if (budget === undefined || recorder.hasRun) return undefined;
  if (budget.calls !== undefined && tally.calls >= budget.calls) {
    return `the budget of ${budget.calls} calls is used up`;
  }
  const { cost } = budget;
  const left = cost === undefined ? undefined : cost - tally.cost;
  const isTooExpensive = left !== undefined && (spec.maxCost === undefined ? left <= 0 : spec.maxCost > left);
  return isTooExpensive ? `only ${left} of the budget of ${cost} is left` : undefined;
};
