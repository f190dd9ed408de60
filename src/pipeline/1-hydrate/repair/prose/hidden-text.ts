import { type RepairContext, refuseRepair } from "../repair-context.ts";

const thoughtTags = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad";
const thoughtOpening = new RegExp(`[<[](?:${thoughtTags})\\b[^<>{}[\\]]{0,40}[>\\]]`, "iy");
const thoughtClosing = new RegExp(`[<[]/(?:${thoughtTags})\\s*[>\\]]`, "gi");

const matchesAt = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at;
  return pattern.test(text);
};

export const thoughtEnd = (text: string, at: number, { steps }: RepairContext): number => {
  if (!matchesAt(thoughtOpening, text, at)) return at;
  const from = thoughtOpening.lastIndex;
  if (!matchesAt(thoughtClosing, text, from)) refuseRepair("it stands in a thought that is never closed");
  const end = thoughtClosing.lastIndex;
  steps.take(end - at);
  for (let inside = from; inside < end; inside++) {
    if ((text[inside] === "<" || text[inside] === "[") && matchesAt(thoughtOpening, text, inside)) {
      refuseRepair("it stands in a thought that is never closed");
    }
  }
  return end;
};

/** A closing reasoning tag after the object means that the object was inside it. */
export const refuseThought = (words: string): void => {
  if (matchesAt(thoughtClosing, words, 0)) refuseRepair("it stands in a thought");
};

export const refuseHiddenObject = (before: string): void => {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const channel = before.lastIndexOf("<|channel|>");
  const isHidden =
    before.lastIndexOf("<!--") > before.lastIndexOf("-->") ||
    before.lastIndexOf("/*") > before.lastIndexOf("*/") ||
    /(?<!:)\/\/|^\s*#/.test(line) ||
    /(?<!~)~~\s*$/.test(line) ||
    (channel >= 0 && before.startsWith("analysis", channel + 11));
  if (isHidden) refuseRepair("it stands in a comment");
};

const doubtfulWordsPattern =
  /\b(?:not|cannot|never|wrong|incorrect|invalid|error|failed|instead|ignore|avoid|examples?|e\.g|sample|template|placeholder)\b|n['’]t\b/i;

export const refuseDoubtfulWords = (words: string): void => {
  if (doubtfulWordsPattern.test(words)) refuseRepair("the words around it leave it open whether it is meant");
};
