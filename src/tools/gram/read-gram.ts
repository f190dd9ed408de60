import { isDigit, isSpace, isSymbolStart, mark } from "./characters.ts";
import type { Diagnostic } from "./diagnostic.ts";
import type { GramDocument, Item, Record } from "./document.ts";
import { mostDiagnostics } from "./limits.ts";
import { readAnnotated } from "./read/annotated.ts";
import { attach } from "./read/attach.ts";
import { readBracket } from "./read/bracket.ts";
import { readPath } from "./read/path.ts";
import { readRecord } from "./read/record.ts";
import { Lost, Scanner } from "./read/scanner.ts";

/** How strictly `readGram` reads. */
export interface ReadGramOptions {
  /** The grammar allows a key twice; readers of it disagree on what that means. Kept unless refused. */
  readonly duplicateKeys?: "refuse" | "keep";
}

/** What `readGram` made of a text: a document, or what is wrong with it. */
export type GramReading =
  | { readonly ok: true; readonly document: GramDocument }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads any text in linear time, without throwing. The diagnostics, 20 at most, are in the order of the text. */
export const readGram = (text: string, options: ReadGramOptions = {}): GramReading => {
  const scanner = new Scanner(text, options.duplicateKeys !== "refuse");
  const document = readDocument(scanner);
  if (document !== undefined) return { ok: true, document };
  return {
    ok: false,
    diagnostics: scanner.diagnostics.toSorted((left, right) => left.offset - right.offset),
  };
};

const readDocument = (scanner: Scanner): GramDocument | undefined => {
  const items: Item[] = [];
  let header: Record | undefined;
  for (;;) {
    try {
      if (header === undefined && items.length === 0 && scanner.skip() === mark.openBrace) {
        header = readHeader(scanner);
      }
      while (scanner.skip() >= 0) readTop(scanner, items, header !== undefined);
      break;
    } catch (error) {
      if (!(error instanceof Lost)) throw error;
      if (scanner.diagnostics.length >= mostDiagnostics || !findNextItem(scanner)) break;
    }
  }
  if (scanner.diagnostics.length > 0) return undefined;
  const comments = scanner.takeComments();
  return {
    ...(header === undefined ? {} : { header }),
    items,
    ...(comments === undefined ? {} : { comments }),
  };
};

const readHeader = (scanner: Scanner): Record => {
  const at = scanner.position();
  const before = scanner.takeComments();
  const { properties, inside } = readRecord(scanner);
  scanner.skip();
  const record = inside === undefined ? { properties, at } : { properties, at, comments: { inside } };
  return attach(record, before, scanner.takeAfter());
};

const readTop = (scanner: Scanner, items: Item[], header: boolean): void => {
  const code = scanner.skip();
  const apart = scanner.breaks > 1;
  const before = scanner.takeComments();
  if (code === mark.comma) {
    refuseComma(scanner);
    return;
  }
  if (code === mark.openBrace) {
    refuseRecord(scanner, items.length > 0 || !header);
    return;
  }
  const item = readItem(scanner, code);
  scanner.skip();
  const whole = attach(item, before, scanner.takeAfter());
  const first = items.length === 0 && !header && before === undefined;
  items.push(apart && !first ? { ...whole, apart } : whole);
};

const readItem = (scanner: Scanner, code: number): Item => {
  if (code === mark.openBracket) return readBracket(scanner);
  if (code === mark.open) return readPath(scanner);
  if (code === mark.at) return readAnnotated(scanner);
  const message = `Expected a node, a path, a bracket or an annotation, found ${scanner.found()}.`;
  return scanner.fail("unexpected", message, itemHint(scanner, code));
};

const itemHint = (scanner: Scanner, code: number): string | undefined => {
  if (code === mark.minus || code === mark.equals || code === mark.tilde || code === mark.less) {
    return "Arrows join nodes in parentheses: `(a)-->(b)`; a bracket lists what it joins: `[r | a, b]`.";
  }
  if (isSymbolStart(code) || isDigit(code) || code === mark.backtick) {
    return `A bare identity refers only inside a bracket; define it as a node: \`(${scanner.word()})\`.`;
  }
  if (code === mark.quote || code === mark.apostrophe)
    return "A string is a value: it belongs into a record.";
  if (code === mark.hash) return "Comments begin with `//`.";
  if (code === mark.close || code === mark.closeBracket || code === mark.closeBrace)
    return "Nothing is open here.";
  return undefined;
};

const refuseComma = (scanner: Scanner): void => {
  const hint = "Remove the comma: top-level items stand one after the other.";
  scanner.report("comma-between-items", "Expected the next item, found a comma.", hint);
  scanner.offset++;
};

const refuseRecord = (scanner: Scanner, afterItem: boolean): void => {
  const message = afterItem
    ? "Expected an item, found a record; only the very first thing of a text may be one."
    : "Expected an item, found a second record.";
  const hint = afterItem
    ? "Move it to the top as the header, or into a subject: `(a {key: 1})`."
    : "Merge it into the first one, or put it into a subject: `(a {key: 1})`.";
  scanner.report("second-record", message, hint);
  readRecord(scanner);
};

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
const findNextItem = (scanner: Scanner): boolean => {
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
