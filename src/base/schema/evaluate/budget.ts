/** Thrown when one value needs more work than any value may. */
export class EvaluationLimitError extends Error {}

let stepsLeft = 0;

/** Judging is synchronous, so one counter serves every schema. */
export const startEvaluationBudget = (steps: number): void => {
  stepsLeft = steps;
};

/** Called at each pass through a recursive definition: a union inside of one can double the work at every level. */
export const spendEvaluationStep = (): true => {
  if (--stepsLeft < 0) throw new EvaluationLimitError("its nested parts need too many steps");
  return true;
};
