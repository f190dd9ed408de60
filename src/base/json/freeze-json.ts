import { isPlainObject } from "./is-plain-object.ts";

const isContainer = (value: unknown): value is object =>
  typeof value === "object" && value !== null && (Array.isArray(value) || isPlainObject(value));

/**
 * Freezes plain objects and arrays all the way down, in place. Instances of classes stay as they are: freezing
 * them could break them. Goes through frozen parts too, since a shallow freeze says nothing about what is inside.
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
      // Of a plain object this lists its own members, and makes no list to do so.
      for (const key in part) {
        const member = (part as Record<string, unknown>)[key];
        if (isContainer(member)) open.push(member);
      }
    }
    // Only what holds something can hold itself.
    if (wasFrozen && open.length > before) {
      frozenBefore ??= new Set();
      frozenBefore.add(part);
    }
  }
  return value;
};
