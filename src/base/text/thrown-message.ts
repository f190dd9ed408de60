/** What was thrown, in words. It may be anything, also something that throws itself when it is looked at. */
export const thrownMessage = (thrown: unknown): string => {
  try {
    return String(thrown instanceof Error ? thrown.message : thrown);
  } catch {
    return "something that cannot be put into words";
  }
};
