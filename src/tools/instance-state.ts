/** Larger state counts as changed. */
const maxStateSize = 2_000_000;

/** Compares plain data by identity, without calling getters. */
export const instanceState = (root: object, without?: string): readonly unknown[] | undefined => {
  const state: unknown[] = [];
  const found = new Set<object>([root]);
  const keep = (value: unknown): void => {
    state.push(value);
    if (isData(value)) found.add(value);
  };
  try {
    for (const each of found) {
      state.push(Object.getPrototypeOf(each));
      for (const key of Reflect.ownKeys(each)) {
        if (each === root && key === without) continue;
        const field = Object.getOwnPropertyDescriptor(each, key);
        state.push(key);
        if (field !== undefined && "value" in field) keep(field.value);
        else state.push(field?.get, field?.set);
      }
      if (each instanceof Map) for (const [key, value] of each) for (const one of [key, value]) keep(one);
      else if (each instanceof Set) for (const value of each) keep(value);
      else if (each instanceof Date) state.push(each.getTime());
      if (state.length > maxStateSize) return undefined;
    }
    return state;
  } catch {
    return undefined;
  }
};

export const isSameState = (one: readonly unknown[] | undefined, other: readonly unknown[] | undefined) =>
  one !== undefined &&
  one.length === other?.length &&
  one.every((value, index) => Object.is(value, other[index]));

const isData = (value: unknown): value is object => {
  if (typeof value !== "object" || value === null) return false;
  const prototype: unknown = Object.getPrototypeOf(value);
  return (
    prototype === Object.prototype ||
    prototype === null ||
    Array.isArray(value) ||
    value instanceof Map ||
    value instanceof Set ||
    value instanceof Date
  );
};
