import { type RepairContext, refuseRepair } from "./repair-context.ts";

export const hasEscapedQuotes = (text: string, start: number): boolean => {
  escapedKey.lastIndex = start;
  return escapedKey.test(text);
};

const escapedKey = /\{(?:\s|\\[nrt])*\\"/y;

/**
 * Unescapes an object inside another JSON text. Refuses ambiguous escapes: `\\t` could be a tab or part of a
 * path.
 */
export const unescapeQuotes = (text: string, start: number, { steps, changes }: RepairContext): string => {
  let plain = "";
  let from = start;
  steps.take(text.length - start);
  for (let at = start; at < text.length; at++) {
    const here = text[at];
    if (here === '"') refuseRepair("only some of its quotes are escaped");
    if (here !== "\\") continue;
    const next = text[at + 1] ?? "";
    if (text.startsWith('\\\\\\"', at)) {
      plain += `${text.slice(from, at)}\\"`;
      at += 3;
    } else if (next === '"') {
      plain += `${text.slice(from, at)}"`;
      at += 1;
    } else if (next !== "" && "nrtu/".includes(next) && !/^u00(?:22|5c)/i.test(text.slice(at + 1, at + 6))) {
      at += 1;
      continue;
    } else {
      refuseRepair("it is not certain how often it is escaped");
    }
    from = at + 1;
  }
  plain += text.slice(from);
  changes.add("text", [], text.slice(start), plain);
  return plain;
};
