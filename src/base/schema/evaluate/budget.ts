export class EvaluationLimitError extends Error {}

let stepsLeft = 0;

/** Evaluation is synchronous, so one counter serves every schema. */
export const startEvaluationBudget = (steps: number): void => {
  stepsLeft = steps;
};

/** Called at each recursion, because a union can double the work at every level. */
export const spendEvaluationStep = (): true => {
  if (--stepsLeft < 0) throw new EvaluationLimitError("its nested parts need too many steps");
  return true;
};
