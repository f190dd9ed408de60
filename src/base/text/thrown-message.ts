/** Never throws. */
export const thrownMessage = (thrown: unknown): string => {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "something that cannot be put into words";
  }
};
