import { type Repairing, refuse } from "../repairing.ts";

const thoughts = "think|thinking|thought|thoughts|reasoning|reflection|scratchpad";
const opening = new RegExp(`[<[](?:${thoughts})\\b[^<>{}[\\]]{0,40}[>\\]]`, "iy");
const closing = new RegExp(`[<[]/(?:${thoughts})\\s*[>\\]]`, "gi");

const matches = (pattern: RegExp, text: string, at: number): boolean => {
  pattern.lastIndex = at;
  return pattern.test(text);
};

/** The end of the thought that opens here, or `at`. What a model thought aloud is no part of what it calls. */
export const thoughtEnd = (text: string, at: number, { steps }: Repairing): number => {
  if (!matches(opening, text, at)) return at;
  const from = opening.lastIndex;
  if (!matches(closing, text, from)) refuse("it stands in a thought that is never closed");
  const end = closing.lastIndex;
  steps.take(end - at);
  for (let inside = from; inside < end; inside++) {
    if ((text[inside] === "<" || text[inside] === "[") && matches(opening, text, inside)) {
      refuse("it stands in a thought that is never closed");
    }
  }
  return end;
};

/** Behind an object, a thought says that the object was a part of it, or what else was thought of. */
export const refuseThought = (words: string): void => {
  if (matches(closing, words, 0)) refuse("it stands in a thought");
};

/** Refuses an object that is commented out, struck out, or in a channel for thoughts. */
export const refuseHidden = (before: string): void => {
  const line = before.slice(before.lastIndexOf("\n") + 1);
  const channel = before.lastIndexOf("<|channel|>");
  const isHidden =
    before.lastIndexOf("<!--") > before.lastIndexOf("-->") ||
    before.lastIndexOf("/*") > before.lastIndexOf("*/") ||
    /(?<!:)\/\/|^\s*#/.test(line) ||
    /(?<!~)~~\s*$/.test(line) ||
    (channel >= 0 && before.startsWith("analysis", channel + 11));
  if (isHidden) refuse("it stands in a comment");
};

const doubting =
  /\b(?:not|cannot|never|wrong|incorrect|invalid|error|failed|instead|ignore|avoid|examples?|e\.g|sample|template|placeholder)\b|n['’]t\b/i;

/** Words that could say that the object is no call. */
export const refuseDoubtingWords = (words: string): void => {
  if (doubting.test(words)) refuse("the words around it leave it open whether it is meant");
};
