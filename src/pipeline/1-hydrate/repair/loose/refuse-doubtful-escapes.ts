import { refuseRepair } from "../repair-context.ts";

/** Stand for an escaped backslash, and for the backslash of an escaped line break or tab. */
const backslashMark = "\uE000";
const breakMark = "\uE001";

/** What a segment of a path is made of. */
const pathSegment = "[\\w.~$%@+-]";

const doubtfulPatterns: readonly RegExp[] = [
  // `C:\temp`
  new RegExp(`(?<!\\w)[A-Za-z]:${breakMark}\\w\\w`),
  // `docs\new.txt`
  new RegExp(`(?<!${pathSegment})${pathSegment}+${breakMark}${pathSegment}*\\.\\w{1,5}(?![\\w.([=])`),
  // `docs\new`, and nothing else
  new RegExp(`^(?:${pathSegment}{2,})?(?:${breakMark}[nrt]${pathSegment}+)+$`),
  // `\theta`
  new RegExp(
    `${breakMark}(?:nu|neq?|nabla|not|notin|newline|rho|right|rightarrow|theta|tau|text[a-z]*|times|to|tan|top|tilde|triangle)(?![A-Za-z])`,
  ),
];

/** `src\tools\net`, where some of the backslashes may have been escaped. */
const pathChain = new RegExp(
  `(?<!${pathSegment})${pathSegment}*(?:(?:${backslashMark}|${breakMark}[nrt])${pathSegment}+){2,}`,
  "g",
);

/**
 * Refuses a text in which an escape may be a backslash and a letter: a path, a pattern or a formula that was
 * never escaped. Takes what stands between the quotes; where the text was decoded before, a line break in it may
 * have been such an escape as well.
 */
export const refuseDoubtfulEscapes = (inside: string, isDecoded: boolean): void => {
  if (!inside.includes("\\") && !(isDecoded && /[\t\n\r]/.test(inside))) return;
  const marked = inside.replace(/\\(.?)|[\t\n\r]/gs, (found, letter: string | undefined) => {
    if (letter === undefined) return isDecoded ? `${breakMark}n` : found;
    if (letter === "b" || letter === "f") refuseRepair("a string holds an escape that nobody means");
    if (letter === "n" || letter === "r" || letter === "t") return breakMark + letter;
    return letter === "\\" ? backslashMark : " ";
  });
  if (!marked.includes(breakMark)) return;
  const isChain = [...marked.matchAll(pathChain)].some(([found]) => found.includes(breakMark));
  if (isChain || doubtfulPatterns.some((doubt) => doubt.test(marked))) {
    refuseRepair("a string holds what could be an escape or a part of a path");
  }
};

/** The same for every string of a strict JSON text. */
export const refuseDoubtfulTexts = (json: string): void => {
  if (!/\\[bfnrt]/.test(json)) return;
  for (const [string] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gs)) {
    refuseDoubtfulEscapes(string.slice(1, -1), false);
  }
};
