/**
 * Whether an object is a bare record: `{}`, a null prototype, or one from another realm. Instances of classes
 * are not: their own members do not tell what they mean.
 */
export const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && !Array.isArray(value);
};
