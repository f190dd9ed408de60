import { charCodes, isSymbolStart } from "../characters.ts";
import type { Position } from "../document.ts";
import { foreignHint } from "./hints.ts";
import type { Scanner } from "./scanner.ts";

export const expectClosingBracket = (
  scanner: Scanner,
  close: number,
  whole: string,
  opened: Position,
): void => {
  const code = scanner.skip();
  if (code === close) {
    scanner.offset++;
    return;
  }
  const name = String.fromCharCode(close);
  const message = `Expected \`${name}\` to close ${whole} of line ${opened.line}, found ${scanner.found()}.`;
  if (code >= 0) scanner.fail("unexpected", message, closeHint(scanner, code, whole));
  const hint = scanner.hiddenInComment(name)
    ? `A comment runs to the end of its line: put \`${name}\` on a new one.`
    : undefined;
  scanner.fail("unclosed", message, hint);
};

const closeHint = (scanner: Scanner, code: number, whole: string): string | undefined => {
  const bracket = whole === "the bracket";
  if (code === charCodes.pipe && whole === "the arrow")
    return "Write several labels one after the other: `:A:B`.";
  if (code === charCodes.pipe) return "Only brackets have elements: `[a | (b)]`.";
  if (code === charCodes.colon) return "Put labels before the record: `a:Label {key: 1}`.";
  if (bracket && (code === charCodes.openBracket || code === charCodes.open || code === charCodes.comma)) {
    return "Put elements after a bar: `[a | (b), (c)]`.";
  }
  if (isSymbolStart(code) || code === charCodes.backtick) {
    return "A subject is one identity, then labels, then a record; put a name of several words in backticks.";
  }
  if (code === charCodes.at) return "Annotations are allowed only before top-level items.";
  if (code === charCodes.comma) return "Put several values in braces: `{a: 1, b: 2}`.";
  return foreignHint(scanner, "Put a name with characters other than A to Z in backticks.");
};
