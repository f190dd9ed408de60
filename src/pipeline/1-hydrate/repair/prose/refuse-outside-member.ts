import { foldName } from "../near-key.ts";
import { type Repairing, refuse } from "../repairing.ts";

const word = /[\p{L}\p{N}_$-]+/gu;
const quotedKey = /["“”][ \t\r\n]*:|\w['’][ \t\r\n]*:/;
/** Gives a value to the word before it, be it `path: x`, `path=x`, `<path>`, `"path"` or `path 5`. */
const valueBehind = /^["'“”‘’*`_)]*[ \t]*(?:[:=<>/"'“”‘’]|(?:true|false|null|none|-?\d)\b)/i;
const markBefore = /[:=<>/"'“”‘’]$/;

/**
 * Refuses words around an object in which a member of it could stand: a key in quotes, or a property of the tool,
 * however it is spelled, beside a mark that could give it a value.
 */
export const refuseOutsideMember = (words: string, { places, steps }: Repairing): void => {
  steps.take(4 * words.length);
  if (quotedKey.test(words)) refuse("a member stands outside of the object");
  const names = places.foldedNames(places.root);
  if (names.size === 0) return;
  let before: { readonly end: number; readonly folds: readonly string[] } = { end: -2, folds: [] };
  for (const { 0: found, index } of words.matchAll(word)) {
    const fold = found.length > 64 ? "" : foldName(found);
    const isNext = before.end + 1 === index && /[ .]/.test(words[before.end]!);
    const folds = [fold, ...(isNext ? before.folds.slice(0, 2).map((earlier) => earlier + fold) : [])];
    before = { end: index + found.length, folds };
    if (fold === "" || !folds.some((each) => names.has(each))) continue;
    const isMember =
      found.startsWith("-") ||
      markBefore.test(words.slice(Math.max(0, index - 1), index)) ||
      valueBehind.test(words.slice(before.end, before.end + 40));
    if (isMember) refuse("a member stands outside of the object");
  }
};
