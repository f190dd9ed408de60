import { charCodes } from "../characters.ts";
import type { Node } from "../document.ts";
import { attachComments } from "./attach-comments.ts";
import type { Scanner } from "./scanner.ts";

export interface ListSyntax<T extends Node> {
  readonly close: number;
  /** In messages: "a property". */
  readonly one: string;
  readonly whole: string;
  readonly read: (scanner: Scanner) => T;
  readonly hint: (scanner: Scanner, code: number) => string | undefined;
}

/** The closing bracket is not consumed. */
export const readDelimitedList = <T extends Node>(scanner: Scanner, list: ListSyntax<T>): readonly T[] => {
  if (scanner.skip() === list.close) return emptyList;
  const parts = [readPart(scanner, list)];
  if (scanner.skip() === list.close) return parts;
  while (scanner.skip() !== list.close) parts.push(readPart(scanner, list));
  // A grown array reserves extra capacity.
  return parts.slice();
};

const emptyList: readonly never[] = Object.freeze([]);

const readPart = <T extends Node>(scanner: Scanner, list: ListSyntax<T>): T => {
  const before = scanner.takeComments();
  const part = list.read(scanner);
  let code = scanner.skip();
  let after = scanner.takeAfter();
  if (code === charCodes.comma) {
    const at = scanner.position();
    const sameLine = scanner.breaks === 0;
    scanner.offset++;
    code = scanner.skip();
    if (after === undefined && sameLine) after = scanner.takeAfter();
    if (code === list.close) {
      const message = `Expected ${list.one} after the comma, found \`${String.fromCharCode(code)}\`.`;
      scanner.report("trailing-comma", message, "Remove the comma: nothing follows it.", at);
    }
  } else if (code !== list.close) failUnclosed(scanner, list, code);
  return attachComments(part, before, after);
};

const failUnclosed = <T extends Node>(scanner: Scanner, list: ListSyntax<T>, code: number): never => {
  const close = String.fromCharCode(list.close);
  const message = `Expected a comma or \`${close}\` in ${list.whole}, found ${scanner.found()}.`;
  const hidden = code < 0 && scanner.hiddenInComment(close);
  const hint = hidden
    ? `A comment runs to the end of its line: put \`${close}\` on a new one.`
    : list.hint(scanner, code);
  return scanner.fail(code < 0 ? "unclosed" : "unexpected", message, hint);
};
