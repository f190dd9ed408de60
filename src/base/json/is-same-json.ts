export const isSameJson = (left: unknown, right: unknown): boolean => {
  if (typeof left !== "object" || typeof right !== "object" || left === null || right === null) {
    return left === right;
  }
  if (left === right) return true;
  if (Object.getPrototypeOf(left) !== Object.getPrototypeOf(right)) return false;
  const keys = Object.keys(left);
  if (keys.length !== Object.keys(right).length) return false;
  return keys.every(
    (key) =>
      Object.hasOwn(right, key) &&
      isSameJson((left as Record<string, unknown>)[key], (right as Record<string, unknown>)[key]),
  );
};
