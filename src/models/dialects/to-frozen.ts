type PlainObject = Record<string, unknown>;

const frozenValues = new WeakSet<object>();

const freezeList = (list: readonly unknown[]): readonly unknown[] => {
  let copy: unknown[] | undefined = Object.isFrozen(list) ? undefined : list.slice();
  for (let index = 0; index < list.length; index++) {
    const value = list[index];
    if (typeof value !== "object" || value === null) continue;
    const next = toFrozen(value);
    if (next === value) continue;
    copy ??= list.slice();
    copy[index] = next;
  }
  return copy === undefined ? list : Object.freeze(copy);
};

const freezeObject = (object: PlainObject): PlainObject => {
  let copy: PlainObject | undefined = Object.isFrozen(object) ? undefined : { ...object };
  for (const key in object) {
    const value = object[key];
    if (typeof value !== "object" || value === null) continue;
    const next = toFrozen(value);
    if (next === value) continue;
    copy ??= { ...object };
    copy[key] = next;
  }
  return copy === undefined ? object : Object.freeze(copy);
};

/** Never freezes the caller's object. */
export const toFrozen = <Value>(value: Value): Value => {
  if (typeof value !== "object" || value === null || frozenValues.has(value)) return value;
  return (Array.isArray(value) ? freezeList(value) : freezeObject(value as PlainObject)) as Value;
};

export const freezeInPlace = <Made extends object>(made: Made): Made => {
  const fields = made as PlainObject;
  for (const key in fields) {
    const value = fields[key];
    if (typeof value !== "object" || value === null) continue;
    const next = toFrozen(value);
    if (next !== value) fields[key] = next;
  }
  return Object.freeze(made);
};

/** The caller guarantees that the value is deeply frozen. */
export const markFrozen = (value: object): void => {
  frozenValues.add(value);
};

export const isKnownFrozen = (value: object): boolean => frozenValues.has(value);
