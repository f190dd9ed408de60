import { refuse } from "./repairing.ts";

const tab = 9;
const lineFeed = 10;
const carriageReturn = 13;
const space = 32;

export const plainSpaceEnd = (text: string, at: number): number => {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code !== space && code !== lineFeed && code !== carriageReturn && code !== tab) break;
    at++;
  }
  return at;
};

/** Nothing but space stands before it in its line. */
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
  return end < 0 ? refuse("a comment is never closed") : end + 2;
};

/** The end of one thing that JSON does not take for space but that holds no data: a comment, an escaped line break. */
export const oddSpaceEnd = (text: string, at: number): number => {
  const next = text[at + 1];
  switch (text[at]) {
    case "/":
      if (next === "/") return lineEnd(text, at);
      return next === "*" ? blockEnd(text, at) : at;
    case "#":
      return isLineStart(text, at) ? lineEnd(text, at) : at;
    case "\\":
      return next === "n" || next === "r" || next === "t" ? at + 2 : at;
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
