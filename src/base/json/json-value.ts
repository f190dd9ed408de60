export type JsonObject = Readonly<Record<string, unknown>>;

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

export const isStringList = (value: unknown): value is readonly string[] =>
  Array.isArray(value) && value.every((each) => typeof each === "string");

/** Also accepts null prototypes and plain objects of another realm. */
export const isPlainObject = (value: object): boolean => {
  const prototype: unknown = Object.getPrototypeOf(value);
  if (prototype === Object.prototype || prototype === null) return true;
  return Object.getPrototypeOf(prototype) === null && !Array.isArray(value);
};

/** The keys that allow prototype pollution. */
export const isForbiddenKey = (key: string, member: unknown): boolean =>
  key === "__proto__" ||
  (key === "constructor" &&
    typeof member === "object" &&
    member !== null &&
    Object.hasOwn(member, "prototype"));

/** Changes its input. JSON.stringify writes -0 as 0, and a value must survive a round trip. */
export const withoutMinusZero = (value: unknown): unknown => {
  if (Object.is(value, -0)) return 0;
  if (typeof value !== "object" || value === null) return value;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) value[i] = withoutMinusZero(value[i]);
    return value;
  }
  for (const key in value) {
    const members = value as Record<string, unknown>;
    members[key] = withoutMinusZero(members[key]);
  }
  return value;
};

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

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && (Array.isArray(value) || isPlainObject(value));

/**
 * Deep-freezes plain objects and arrays. Frozen parts are traversed too, because they may be frozen only at
 * the top level.
 */
export const freezeJson = <T>(value: T): T => {
  if (!isContainer(value)) return value;
  const open: object[] = [value];
  let frozenBefore: Set<object> | undefined;
  for (let part = open.pop(); part !== undefined; part = open.pop()) {
    const wasFrozen = Object.isFrozen(part);
    if (!wasFrozen) Object.freeze(part);
    else if (frozenBefore?.has(part)) continue;
    const before = open.length;
    if (Array.isArray(part)) {
      for (let i = 0; i < part.length; i++) if (isContainer(part[i])) open.push(part[i]);
    } else {
      // `for…in` allocates no list.
      for (const key in part) {
        const member = (part as Record<string, unknown>)[key];
        if (isContainer(member)) open.push(member);
      }
    }
    if (wasFrozen && open.length > before) {
      frozenBefore ??= new Set();
      frozenBefore.add(part);
    }
  }
  return value;
};

/** Strings stay unchanged. Never throws. */
export const stringifyValue = (value: unknown): string => {
  if (typeof value === "string") return value;
  try {
    return JSON.stringify(value) ?? "";
  } catch {
    return "[not JSON]";
  }
};

/** RFC 6901. */
export const toPointer = (path: readonly (string | number)[]): string => {
  let pointer = "";
  for (const step of path) {
    pointer += `/${typeof step === "number" ? step : step.replaceAll("~", "~0").replaceAll("/", "~1")}`;
  }
  return pointer;
};

const blankPattern = /^[ \t\r\n]*$/;
const nullPattern = /^[ \t\r\n]*null[ \t\r\n]*$/;

const maxBlankLength = 64;

export const isBlankArguments = (text: string): boolean =>
  text === "" || (text.length <= maxBlankLength && blankPattern.test(text));

export const hasNoArguments = (text: string): boolean =>
  isBlankArguments(text) || (text.length <= maxBlankLength && nullPattern.test(text));
