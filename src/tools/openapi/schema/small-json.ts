/** Characters of foreign values that are still taken. */
export interface Room {
  text: number;
}

const deepest = 32;
const longest = 64 * 1024;

/**
 * The JSON of a small foreign value; nothing for what is none, holds itself or is too large. Measured before it is
 * written: a few lines of YAML can stand for more text than there is memory.
 */
export const jsonOf = (value: unknown, room?: Room): string | undefined => {
  const own = { text: Math.min(longest, room?.text ?? longest) };
  const most = own.text;
  if (!isSmall(value, own, 0)) return undefined;
  if (room !== undefined) room.text -= most - own.text;
  return JSON.stringify(value);
};

const isSmall = (value: unknown, room: Room, depth: number): boolean => {
  room.text -= typeof value === "string" ? value.length + 2 : 2;
  if (room.text < 0 || depth > deepest) return false;
  if (value === null || typeof value === "string" || typeof value === "boolean") return true;
  if (typeof value === "number") return Number.isFinite(value);
  if (typeof value !== "object") return false;
  if (Array.isArray(value)) return value.every((each) => isSmall(each, room, depth + 1));
  for (const key in value) {
    room.text -= key.length + 3;
    if (key === "__proto__" || key === "toJSON") return false;
    if (!isSmall((value as Record<string, unknown>)[key], room, depth + 1)) return false;
  }
  return true;
};
