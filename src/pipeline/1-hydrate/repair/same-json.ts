import type { StepBudget } from "./repair-context.ts";

export const sameJson = (left: unknown, right: unknown, steps: StepBudget): boolean => {
  steps.take(1);
  if (typeof left === "string" && typeof right === "string") {
    steps.take(Math.min(left.length, right.length));
    return left === right;
  }
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return left === right;
  }
  if (Array.isArray(left) !== Array.isArray(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      sameJson((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key], steps),
  );
};
