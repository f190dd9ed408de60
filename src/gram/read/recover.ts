import { isSpace, mark } from "../characters.ts";
import type { Scanner } from "./scanner.ts";

const starts = new Set<number>([mark.open, mark.openBracket, mark.at]);
// Behind one of these, the next line goes on with what is open.
const goesOn = new Set<number>([
  mark.pipe,
  mark.comma,
  mark.colon,
  mark.open,
  mark.openBracket,
  mark.openBrace,
]);

/** Goes to the next line that begins an item, so that its mistakes are told too. False when there is none. */
export const findNextItem = (scanner: Scanner): boolean => {
  const { text } = scanner;
  scanner.depth = 0;
  for (let at = text.indexOf("\n", scanner.offset); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (!starts.has(scanner.codeAt(at + 1))) continue;
    let last = at;
    while (last > 0 && isSpace(scanner.codeAt(last))) last--;
    if (goesOn.has(scanner.codeAt(last))) continue;
    scanner.advance(at + 1);
    scanner.dropComments();
    return true;
  }
  return false;
};
