/** Strings stay unchanged. Never throws. */
export const stringifyValue = (value: unknown): string => {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "[not JSON]";
  }
};
