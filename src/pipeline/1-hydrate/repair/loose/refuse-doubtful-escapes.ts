import { refuseRepair } from "../repair-context.ts";

const backslashMark = "\uE000";
const breakMark = "\uE001";

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

const pathChain = new RegExp(
  `(?<!${pathSegment})${pathSegment}*(?:(?:${backslashMark}|${breakMark}[nrt])${pathSegment}+){2,}`,
  "g",
);

/**
 * Refuses text in which an escape could be a literal backslash of a path, pattern or formula. In decoded
 * text, even a line break could come from such an escape.
 */
export const refuseDoubtfulEscapes = (inside: string, isDecoded: boolean): void => {
  if (!inside.includes("\\") && !(isDecoded && /[\t\n\r]/.test(inside))) return;
  const marked = inside.replace(/\\(.?)|[\t\n\r]/gs, (found, letter: string | undefined) => {
    if (letter === undefined) return isDecoded ? `${breakMark}n` : found;
    if (letter === "b" || letter === "f")
      refuseRepair("a string contains an escape that is unlikely to be intended");
    if (letter === "n" || letter === "r" || letter === "t") return breakMark + letter;
    return letter === "\\" ? backslashMark : " ";
  });
  if (!marked.includes(breakMark)) return;
  const isChain = [...marked.matchAll(pathChain)].some(([found]) => found.includes(breakMark));
  if (isChain || doubtfulPatterns.some((doubt) => doubt.test(marked))) {
    refuseRepair("a string contains text that could be an escape or a part of a path");
  }
};

export const refuseDoubtfulTexts = (json: string): void => {
  if (!/\\[bfnrt]/.test(json)) return;
  for (const [string] of json.matchAll(/"[^"\\]*(?:\\.[^"\\]*)*"/gs)) {
    refuseDoubtfulEscapes(string.slice(1, -1), false);
  }
};
