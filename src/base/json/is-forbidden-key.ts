/** The keys that allow prototype pollution. */
export const isForbiddenKey = (key: string, member: unknown): boolean =>
  key === "__proto__" ||
  (key === "constructor" &&
    typeof member === "object" &&
    member !== null &&
    Object.hasOwn(member, "prototype"));
