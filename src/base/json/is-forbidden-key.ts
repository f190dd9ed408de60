/** `__proto__` anywhere, and `constructor` when it leads on to `prototype`: the two ways a merge reaches every object. */
export const isForbiddenKey = (key: string, member: unknown): boolean =>
  key === "__proto__" ||
  (key === "constructor" &&
    typeof member === "object" &&
    member !== null &&
    Object.hasOwn(member, "prototype"));
