/** Changes its input. JSON.stringify writes -0 as 0, and a value must survive a round trip. */
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
