import { refuseRepair } from "../repair-context.ts";

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;

export const jsonSpaceEnd = (text: string, at: number): number => {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code !== space && code !== lineFeed && code !== carriageReturn && code !== tab) break;
    at++;
  }
  return at;
};

const isLineStart = (text: string, at: number): boolean => {
  let before = at - 1;
  while (before >= 0 && (text.charCodeAt(before) === space || text.charCodeAt(before) === tab)) before--;
  return before < 0 || text.charCodeAt(before) === lineFeed;
};

const lineEnd = (text: string, at: number): number => {
  const end = text.indexOf("\n", at);
  return end < 0 ? text.length : end;
};

const blockEnd = (text: string, at: number): number => {
  const end = text.indexOf("*/", at + 2);
  return end < 0 ? refuseRepair("a comment is never closed") : end + 2;
};

/**
 * An unquoted path or pattern can look like a comment, so none are recognized around a colon, and few among
 * items.
 */
export type CommentPlace = "nowhere" | "before an item" | "before a key" | "behind a value";

export const commentEnd = (text: string, at: number, place: CommentPlace): number => {
  if (place === "nowhere") return at;
  const isSpaced = at + 1 === text.length || " \t\r\n".includes(text[at + 1]!);
  if (text[at] === "#") return isSpaced || isLineStart(text, at) ? lineEnd(text, at) : at;
  if (text[at] !== "/") return at;
  const isLine = text[at + 1] === "/";
  if (place === "before an item") {
    return isLine && " \t\r\n".includes(text[at + 2] ?? "\n") ? lineEnd(text, at) : at;
  }
  if (isLine) return lineEnd(text, at);
  return text[at + 1] === "*" ? blockEnd(text, at) : at;
};

export const isEscapedWhitespace = (text: string, at: number): boolean =>
  text[at] === "\\" && (text[at + 1] === "n" || text[at + 1] === "r" || text[at + 1] === "t");

export const nonJsonSpaceEnd = (text: string, at: number): number => {
  switch (text[at]) {
    case "\\":
      return isEscapedWhitespace(text, at) ? at + 2 : at;
    case "\uFEFF":
    case "\u00A0":
    case "\u2028":
    case "\u2029":
    case "\u200B":
    case "\v":
    case "\f":
      return at + 1;
    default:
      return at;
  }
};
