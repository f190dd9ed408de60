/** Thrown when one value needs more work than any value may. */
export class TooMuchWork extends Error {}

let left = 0;

/** Judging is synchronous, so one counter serves every schema. */
export const startBudget = (steps: number): void => {
  left = steps;
};

/** Called at each pass through a recursive definition: a union inside of one can double the work at every level. */
export const spend = (): true => {
  if (--left < 0) throw new TooMuchWork("its nested parts need too many steps");
  return true;
};
