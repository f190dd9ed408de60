/** Remaining characters. */
export interface TextBudget {
  text: number;
}

const maxValueDepth = 32;
const maxJsonLength = 64 * 1024;

/**
 * Undefined if invalid, cyclic or too large. Measured first, because YAML aliases can expand without limit.
 */
export const smallJsonOf = (value: unknown, budget?: TextBudget): string | undefined => {
  const own = { text: Math.min(maxJsonLength, budget?.text ?? maxJsonLength) };
  const most = own.text;
  if (!isSmall(value, own, 0)) return undefined;
  if (budget !== undefined) budget.text -= most - own.text;
  return JSON.stringify(value);
};

const isSmall = (value: unknown, budget: TextBudget, depth: number): boolean => {
  budget.text -= typeof value === "string" ? value.length + 2 : 2;
  if (budget.text < 0 || depth > maxValueDepth) return false;
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every((each) => isSmall(each, budget, depth + 1));
  for (const key in value) {
    budget.text -= key.length + 3;
    if (key === "__proto__" || key === "toJSON") return false;
    if (!isSmall((value as Record<string, unknown>)[key], budget, depth + 1)) return false;
  }
  return true;
};
