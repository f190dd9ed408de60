import { digitsEnd, findProblem, isExactNumber } from "./find-problem.ts";
import { type JsonLimits, type JsonReading, maxDepthOf, maxLengthOf, textProblem } from "./json-problem.ts";
import { isForbiddenKey, withoutMinusZero } from "./json-value.ts";

const quote = 34;
const backslash = 92;
const point = 46;
const exponent = 101;
const notExact = -1;
const minus = 45;

/** Results of the last scan, in module variables for speed. */
let isNegative = false;
let hasQuoteInString = false;
let hasQuoteInKey = false;

/** Returns -1 if JavaScript would change the number. Fifteen digits are always exact. */
const numberEnd = (text: string, start: number): number => {
  let end = digitsEnd(text, start + 1);
  let close = end - start > 15;
  if (end < text.length && text.charCodeAt(end) === point) {
    end = digitsEnd(text, end + 1);
    close ||= end - start > 300;
  }
  if (end < text.length && (text.charCodeAt(end) | 32) === exponent) {
    end = digitsEnd(text, end + 2);
    close = true;
  }
  return close && !isExactNumber(text.slice(start, end)) ? notExact : end;
};

const closingQuote = (text: string, at: number): number => {
  let end = text.indexOf('"', at + 1);
  while (end > 0 && text.charCodeAt(end - 1) === backslash) {
    let before = end - 2;
    while (before > at && text.charCodeAt(before) === backslash) before--;
    if ((end - before) % 2 === 1) return end;
    hasQuoteInString = true;
    end = text.indexOf('"', end + 1);
  }
  return end < 0 ? text.length : end;
};

/**
 * Counts members by colons, or returns -1 if the text is too deep or a number would change. Only meaningful
 * for valid JSON.
 */
const countTextMembers = (text: string, maxDepth: number): number => {
  const length = text.length;
  isNegative = false;
  hasQuoteInKey = false;
  let members = 0;
  let depth = 0;
  for (let i = 0; i < length; i++) {
    const code = text.charCodeAt(i);
    if (code === quote) {
      hasQuoteInString = false;
      i = closingQuote(text, i);
    } else if (code < 58) {
      if (code < 48) {
        if (code === minus) isNegative = true;
        continue;
      }
      const end = numberEnd(text, i);
      if (end < 0) return notExact;
      i = end - 1;
    } else if (code === 58) {
      members++;
      if (hasQuoteInString) hasQuoteInKey = true;
    } else if (code === 123 || code === 91) {
      if (++depth > maxDepth) return notExact;
    } else if (code === 125 || code === 93) {
      depth--;
    }
  }
  return members;
};

/** Returns -1 for a forbidden key. The scan has bounded the depth. */
const countValueMembers = (value: object): number => {
  let members = 0;
  if (Array.isArray(value)) {
    for (let i = 0; i < value.length; i++) {
      const item = value[i];
      if (typeof item !== "object" || item === null) continue;
      const inside = countValueMembers(item);
      if (inside < 0) return notExact;
      members += inside;
    }
    return members;
  }
  for (const key in value) {
    members++;
    const member = (value as Record<string, unknown>)[key];
    if (isForbiddenKey(key, member)) return notExact;
    if (typeof member !== "object" || member === null) continue;
    const inside = countValueMembers(member);
    if (inside < 0) return notExact;
    members += inside;
  }
  return members;
};

const refuseJson = (text: string, limits?: JsonLimits): JsonReading => ({
  ok: false,
  problem: findProblem(text, limits) ?? textProblem(text, 0, [], "The text is not strict JSON"),
});

/**
 * Parses untrusted text as strict JSON. Two scans prove that the native parser lost nothing: fewer members in
 * the value than in the text means a repeated key. Keys that V8 may confuse are parsed again by `parseExact`.
 * Never throws.
 */
export const readJson = (text: string, limits?: JsonLimits): JsonReading => {
  if (typeof text !== "string") {
    return { ok: false, problem: textProblem("", 0, [], `Expected JSON text but got ${typeof text}`) };
  }
  if (text.length > maxLengthOf(limits)) return refuseJson(text, limits);
  const written = countTextMembers(text, maxDepthOf(limits));
  if (written < 0) return refuseJson(text, limits);
  let value: unknown;
  try {
    value = JSON.parse(text);
    if (hasQuoteInKey) value = parseExact(text);
  } catch {
    return refuseJson(text, limits);
  }
  if (written > 0 && countValueMembers(value as object) !== written) return refuseJson(text, limits);
  return { ok: true, value: isNegative ? withoutMinusZero(value) : value };
};

interface TextCursor {
  readonly text: string;
  at: number;
}

const isSpace = (code: number): boolean => code === 32 || code === 10 || code === 13 || code === 9;

/**
 * Avoids a V8 bug: when an earlier object had the key `\`, V8 reads the key `"` of the next object as the
 * same key.
 */
const parseExact = (text: string): unknown => readValue({ text, at: 0 });

const readValue = (cursor: TextCursor): unknown => {
  const first = peekCharacter(cursor);
  if (first === "{") return readObject(cursor);
  if (first === "[") return readList(cursor);
  return first === '"' ? readString(cursor) : readLiteral(cursor);
};

const peekCharacter = (cursor: TextCursor): string => {
  while (isSpace(cursor.text.charCodeAt(cursor.at))) cursor.at++;
  return cursor.text[cursor.at]!;
};

const readObject = (cursor: TextCursor): object => {
  const members: Record<string, unknown> = {};
  cursor.at++;
  while (peekCharacter(cursor) !== "}") {
    const key = readString(cursor);
    peekCharacter(cursor);
    cursor.at++;
    const value = readValue(cursor);
    // Creates an own member, as JSON.parse does.
    if (key === "__proto__") Object.defineProperty(members, key, { value, enumerable: true });
    else members[key] = value;
    if (peekCharacter(cursor) === ",") cursor.at++;
  }
  cursor.at++;
  return members;
};

const readList = (cursor: TextCursor): unknown[] => {
  const items: unknown[] = [];
  cursor.at++;
  while (peekCharacter(cursor) !== "]") {
    items.push(readValue(cursor));
    if (peekCharacter(cursor) === ",") cursor.at++;
  }
  cursor.at++;
  return items;
};

const readString = (cursor: TextCursor): string => {
  peekCharacter(cursor);
  const start = cursor.at;
  let end = start + 1;
  while (cursor.text[end] !== '"') end += cursor.text[end] === "\\" ? 2 : 1;
  cursor.at = end + 1;
  return JSON.parse(cursor.text.slice(start, end + 1));
};

const readLiteral = (cursor: TextCursor): unknown => {
  const start = cursor.at;
  while (cursor.at < cursor.text.length && !",]} \n\r\t".includes(cursor.text[cursor.at]!)) cursor.at++;
  return JSON.parse(cursor.text.slice(start, cursor.at));
};
