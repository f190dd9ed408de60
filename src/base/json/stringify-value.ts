/** A text as it is, any other value as JSON. What is no JSON says so instead of failing whoever writes it down. */
export const stringifyValue = (value: unknown): string => {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "[not JSON]";
  }
};
