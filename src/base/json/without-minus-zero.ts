/** Minus zero is read but never written: without it, a value is the same once written and read again. Changes what it is given. */
export const withoutMinusZero = (value: unknown): unknown => {
  if (Object.is(value, -0)) return 0;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withoutMinusZero(value[i]);
    return value;
  }
  for (const key in value) {
    const members = value as Record<string, unknown>;
    members[key] = withoutMinusZero(members[key]);
  }
  return value;
};
