import { isPlainObject } from "./is-plain-object.ts";

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
