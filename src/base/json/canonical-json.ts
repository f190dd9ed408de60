import { maxJsonDepth } from "./json-problem.ts";
import { isPlainObject, stringifyValue } from "./json-value.ts";

/** Faster than JSON.stringify for short strings without escapes. */
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
    throw new TypeError("Only plain data has a canonical form; this is an instance of a class.");
  // RFC 8785 sorts by UTF-16 code units.
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
  if (typeof value === "number") {
    if (Number.isFinite(value)) return String(value);
    throw new TypeError("Only JSON has a canonical form; NaN and Infinity are not JSON.");
  }
  if (typeof value !== "object")
    throw new TypeError(`Only JSON has a canonical form; this is a value of type ${typeof value}.`);
  if (depth === 0)
    throw new TypeError(`Only values up to ${maxJsonDepth} levels deep have a canonical form.`);
  return Array.isArray(value) ? writeArray(value, depth - 1) : writeObject(value, depth - 1);
};

/** RFC 8785 text of a value. Omits `undefined` members and throws for any value that is not JSON. */
export const canonicalJson = (value: unknown): string => write(value, maxJsonDepth);

type Crypto = typeof import("node:crypto");

/** Loaded on first use to keep imports fast. */
let cryptoHash: Crypto["hash"] | undefined;

/** SHA-256 of the UTF-8 bytes, in hexadecimal. */
export const hashText = (text: string): string => {
  cryptoHash ??= process.getBuiltinModule("node:crypto").hash;
  return cryptoHash("sha256", text, "hex");
};

export const hashJson = (value: unknown): string => hashText(canonicalJson(value));

/** Falls back to the printed text if the arguments are not JSON. */
export const hashInput = (input: unknown): string => {
  try {
    return hashJson(input);
  } catch {
    return hashText(stringifyValue(input));
  }
};
