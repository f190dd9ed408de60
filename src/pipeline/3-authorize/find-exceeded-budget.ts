import type { BoundCall } from "../call-state.ts";

/** Why one more call would go beyond what its run may come to. Nobody need be asked about such a call. */
export const findExceededBudget = ({ request, spec, recorder }: BoundCall): string | undefined => {
  const { budget, tally } = request.scope;
  // One that was stopped and goes on was counted when it began.
  if (budget === undefined || recorder.hasRun) return undefined;
  if (budget.calls !== undefined && tally.calls >= budget.calls) {
    return `the budget of ${budget.calls} calls is used up`;
  }
  const { cost } = budget;
  const left = cost === undefined ? undefined : cost - tally.cost;
  const isTooExpensive = left !== undefined && (spec.maxCost === undefined ? left <= 0 : spec.maxCost > left);
  return isTooExpensive ? `of the budget of ${cost} only ${left} is left` : undefined;
};
