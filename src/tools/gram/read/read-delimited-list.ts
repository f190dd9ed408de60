import { charCodes, isDigit, isSymbol, isSymbolPart, isSymbolStart } from "../characters.ts";
import type { Node, Position } from "../document.ts";
import { attachComments, excerptOf, foreignHint, type Scanner } from "./scanner.ts";
import { readQuoted } from "./string.ts";

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

export const readSymbol = (scanner: Scanner): string => {
  const start = scanner.offset;
  let end = start + 1;
  while (isSymbolPart(scanner.codeAt(end))) end++;
  scanner.offset = end;
  return scanner.text.slice(start, end);
};

export const readSymbolKey = (scanner: Scanner): string => {
  const code = scanner.skip();
  if (isSymbolStart(code)) return readSymbol(scanner);
  if (code === charCodes.quote || code === charCodes.backtick) return readQuoted(scanner);
  if (code === charCodes.apostrophe) {
    const at = scanner.position();
    const key = readQuoted(scanner);
    const hint = `Write ${isSymbol(key) ? excerptOf(key) : `"${excerptOf(key)}"`}: a key is bare, or in double quotes or backticks.`;
    scanner.report("quoted-key", "Expected a key, found one in single quotes.", hint, at);
    return key;
  }
  const message = `Expected a key, found ${scanner.found()}.`;
  return scanner.fail("bad-key", message, keyHint(scanner, code));
};

const keyHint = (scanner: Scanner, code: number): string | undefined => {
  if (isDigit(code) || code === charCodes.minus) return `Quote the key: "${scanner.word()}".`;
  if (code === charCodes.comma) return "Remove one comma.";
  if (code === charCodes.dot) return "Gram cannot spread a record: write its properties out.";
  return foreignHint(scanner, "Put a key with characters other than A to Z in double quotes.");
};

/** Readers of gram differ in which key counts. */
export const refuseDuplicates = (
  scanner: Scanner,
  parts: readonly { readonly key: string; readonly at?: Position }[],
): void => {
  if (parts.length < 2 || scanner.keepDuplicates || areKeysUnique(parts)) return;
  const seen = new Set<string>();
  for (const { key, at } of parts) {
    if (seen.has(key)) {
      const message = `Expected each key once, found ${JSON.stringify(excerptOf(key))} again.`;
      const hint = "Remove one of the two: gram readers disagree on which one is used.";
      scanner.report("duplicate-key", message, hint, at);
    } else seen.add(key);
  }
};

/** Avoids a set for short records. */
const areKeysUnique = (parts: readonly { readonly key: string }[]): boolean => {
  if (parts.length > 8) return false;
  for (let later = 1; later < parts.length; later++) {
    for (let index = 0; index < later; index++) if (parts[index]!.key === parts[later]!.key) return false;
  }
  return true;
};
