import { foldName } from "../compare-key-names.ts";
import { type RepairContext, refuseRepair } from "../repair-context.ts";

const wordPattern = /[\p{L}\p{N}_$-]+/gu;
const quotedKeyPattern = /["“”][ \t\r\n]*:|\w['’][ \t\r\n]*:/;
/**
 * Text that assigns a value to the preceding word, such as `path: x`, `path=x`, `<path>`, `"path"` or `path
 * 5`.
 */
const valueAfterPattern = /^["'“”‘’*`_)]*[ \t]*(?:[:=<>/"'“”‘’]|(?:true|false|null|none|-?\d)\b)/i;
const markBeforePattern = /[:=<>/"'“”‘’]$/;

/** Text around the object could contain a member of it. */
export const refuseOutsideMember = (words: string, { places, steps }: RepairContext): void => {
  steps.take(4 * words.length);
  if (quotedKeyPattern.test(words)) refuseRepair("a member stands outside of the object");
  const names = places.foldedNames(places.root);
  if (names.size === 0) return;
  let before: { readonly end: number; readonly folds: readonly string[] } = { end: -2, folds: [] };
  for (const { 0: found, index } of words.matchAll(wordPattern)) {
    const fold = found.length > 64 ? "" : foldName(found);
    const isNext = before.end + 1 === index && /[ .]/.test(words[before.end]!);
    const folds = [fold, ...(isNext ? before.folds.slice(0, 2).map((earlier) => earlier + fold) : [])];
    before = { end: index + found.length, folds };
    if (fold === "" || !folds.some((each) => names.has(each))) continue;
    const isMember =
      found.startsWith("-") ||
      markBeforePattern.test(words.slice(Math.max(0, index - 1), index)) ||
      valueAfterPattern.test(words.slice(before.end, before.end + 40));
    if (isMember) refuseRepair("a member stands outside of the object");
  }
};
