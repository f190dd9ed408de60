import { charCodes, isSymbolStart } from "../characters.ts";
import type { Position } from "../document.ts";
import { foreignHint } from "./hints.ts";
import type { Scanner } from "./scanner.ts";

export const readClose = (scanner: Scanner, close: number, whole: string, opened: Position): void => {
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
    return "Write several labels one behind the other: `:A:B`.";
  if (code === charCodes.pipe) return "Only brackets have elements: `[a | (b)]`.";
  if (code === charCodes.colon) return "Labels stand before the record: `a:Label {key: 1}`.";
  if (bracket && (code === charCodes.openBracket || code === charCodes.open || code === charCodes.comma)) {
    return "Elements stand behind a bar: `[a | (b), (c)]`.";
  }
  if (isSymbolStart(code) || code === charCodes.backtick) {
    return "A subject is one identity, then labels, then a record; put a name of several words into backticks.";
  }
  if (code === charCodes.at) return "Annotations stand before top-level items only.";
  if (code === charCodes.comma) return "Several values stand in braces: `{a: 1, b: 2}`.";
  return foreignHint(scanner, "Put a name with other letters than A to Z into backticks.");
};
