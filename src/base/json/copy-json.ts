import { findValueProblem } from "./exact/find-value-problem.ts";
import { isForbidden } from "./forbidden-keys.ts";
import { type JsonLimits, maxDepthOf, maxLengthOf } from "./limits.ts";
import { isPlainObject } from "./plain.ts";
import type { JsonReading } from "./problem.ts";

/** Stands for "not JSON" on the quick way; why is found out afterwards. */
const refused = Symbol();

/** Characters left, counted as in text without its escapes. Shared parts count every time they occur. */
interface Room {
  left: number;
}

const copyArray = (items: readonly unknown[], depth: number, room: Room): unknown => {
  room.left -= items.length + 2;
  if (room.left < 0) return refused;
  const copy: unknown[] = [];
  for (let i = 0; i < items.length; i++) {
    const item = copyValue(items[i], depth, room);
    if (item === refused) return refused;
    copy.push(item);
  }
  return copy;
};

const copyObject = (value: object, depth: number, room: Room): unknown => {
  const copy: Record<string, unknown> = {};
  const keys = Object.keys(value);
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const given = (value as Record<string, unknown>)[key];
    if (given === undefined) continue;
    room.left -= key.length + 4;
    const member = copyValue(given, depth, room);
    if (member === refused || isForbidden(key, member)) return refused;
    copy[key] = member;
  }
  return copy;
};

const copyValue = (value: unknown, depth: number, room: Room): unknown => {
  switch (typeof value) {
    case "string":
      room.left -= value.length + 2;
      return room.left < 0 ? refused : value;
    case "number":
      return Number.isFinite(value) ? value : refused;
    case "boolean":
      return value;
    case "object":
      if (value === null) return null;
      if (depth === 0 || room.left < 0) return refused;
      if (Array.isArray(value)) return copyArray(value, depth - 1, room);
      return isPlainObject(value) ? copyObject(value, depth - 1, room) : refused;
    default:
      return refused;
  }
};

/**
 * A caller's value as fresh plain JSON that nobody else holds: own enumerable members, `undefined` ones dropped.
 * What JSON cannot carry is refused, not converted: a silent `toJSON` would let a tool see something that was
 * never in the arguments. Never throws, whatever getters and proxies do.
 */
export const copyJson = (value: unknown, limits?: JsonLimits): JsonReading => {
  try {
    const copy = copyValue(value, maxDepthOf(limits), { left: maxLengthOf(limits) });
    if (copy !== refused) return { ok: true, value: copy };
  } catch {
    // A getter or a proxy threw; the exact walk says which.
  }
  return { ok: false, problem: findValueProblem(value, limits) };
};
