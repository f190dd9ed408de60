import { isPlainObject } from "./is-plain-object.ts";
import { maxJsonDepth } from "./limits.ts";

/** As JSON.stringify, which costs more to call than a short text costs to look through. */
const writeString = (text: string): string => {
  if (text.length > 64) return JSON.stringify(text);
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code < 32 || code === 34 || code === 92 || code >= 0xd800) return JSON.stringify(text);
  }
  return `"${text}"`;
};

const writeArray = (items: readonly unknown[], depth: number): string => {
  let text = "[";
  for (let i = 0; i < items.length; i++) {
    if (i > 0) text += ",";
    text += write(items[i], depth);
  }
  return `${text}]`;
};

const writeObject = (value: object, depth: number): string => {
  if (!isPlainObject(value))
    throw new TypeError("Only plain data has a canonical form, not an instance of a class.");
  // The default order compares UTF-16 code units, as RFC 8785 wants; a locale's order would differ by machine.
  const keys = Object.keys(value).sort();
  let text = "";
  for (let i = 0; i < keys.length; i++) {
    const key = keys[i]!;
    const member = (value as Record<string, unknown>)[key];
    if (member === undefined) continue;
    text += `${text === "" ? "" : ","}${writeString(key)}:${write(member, depth)}`;
  }
  return `{${text}}`;
};

const write = (value: unknown, depth: number): string => {
  if (typeof value === "string") return writeString(value);
  if (typeof value === "boolean" || value === null) return String(value);
  // Zero has one form: -0 is written 0, as JSON.stringify does.
  if (typeof value === "number") {
    if (Number.isFinite(value)) return String(value);
    throw new TypeError("Only JSON has a canonical form, not NaN or Infinity.");
  }
  if (typeof value !== "object")
    throw new TypeError(`Only JSON has a canonical form, not a value of type ${typeof value}.`);
  if (depth === 0)
    throw new TypeError(`Only values up to ${maxJsonDepth} levels deep have a canonical form.`);
  return Array.isArray(value) ? writeArray(value, depth - 1) : writeObject(value, depth - 1);
};

/**
 * One text per value, after RFC 8785: keys sorted at every level, no white space; members that are `undefined` do
 * not count. Takes every value that `readJson` or `copyJson` made; anything else is a mistake of the caller and
 * throws, because two different values would share one text.
 */
export const canonicalJson = (value: unknown): string => write(value, maxJsonDepth);
