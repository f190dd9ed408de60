import { charCodes, isDigit, isSpace, isSymbolStart, maxDiagnostics, maxGramDepth } from "./characters.ts";
import type {
  Annotated,
  Bracket,
  Element,
  GramDocument,
  Item,
  Path,
  Property,
  Record,
  Subject,
} from "./document.ts";
import type { Diagnostic } from "./format-diagnostic.ts";
import { readPath } from "./read/path.ts";
import {
  expectClosingBracket,
  type ListSyntax,
  readDelimitedList,
  refuseDuplicates,
} from "./read/read-delimited-list.ts";
import { readGramAnnotation, readRecord, refuseAnnotations } from "./read/record.ts";
import { attachComments, excerptOf, ItemSyntaxError, Scanner } from "./read/scanner.ts";
import { readIdentity, readLabels, readSubject } from "./read/subject.ts";

/** Options of `readGram`. */
export interface ReadGramOptions {
  /** The grammar allows duplicate keys, but readers differ in their meaning. Kept by default. */
  readonly duplicateKeys?: "refuse" | "keep";
}

/** The document, or the problems of the text. */
export type ReadGramResult =
  | { readonly ok: true; readonly document: GramDocument }
  | { readonly ok: false; readonly diagnostics: readonly Diagnostic[] };

/** Reads any text in linear time without throwing. Returns at most 20 diagnostics in text order. */
export const readGram = (text: string, options: ReadGramOptions = {}): ReadGramResult => {
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
      if (header === undefined && items.length === 0 && scanner.skip() === charCodes.openBrace) {
        header = readHeader(scanner);
      }
      while (scanner.skip() >= 0) readTopLevel(scanner, items, header !== undefined);
      break;
    } catch (error) {
      if (!(error instanceof ItemSyntaxError)) throw error;
      if (scanner.diagnostics.length >= maxDiagnostics || !findNextItem(scanner)) break;
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
  return attachComments(record, before, scanner.takeAfter());
};

const readTopLevel = (scanner: Scanner, items: Item[], header: boolean): void => {
  const code = scanner.skip();
  const apart = scanner.breaks > 1;
  const before = scanner.takeComments();
  if (code === charCodes.comma) {
    refuseComma(scanner);
    return;
  }
  if (code === charCodes.openBrace) {
    refuseRecord(scanner, items.length > 0 || !header);
    return;
  }
  const item = readItem(scanner, code);
  scanner.skip();
  const whole = attachComments(item, before, scanner.takeAfter());
  const first = items.length === 0 && !header && before === undefined;
  items.push(apart && !first ? { ...whole, apart } : whole);
};

const readItem = (scanner: Scanner, code: number): Item => {
  if (code === charCodes.openBracket) return readBracket(scanner);
  if (code === charCodes.open) return readPath(scanner);
  if (code === charCodes.at) return readAnnotated(scanner);
  const message = `Expected a node, a path, a bracket or an annotation, found ${scanner.found()}.`;
  return scanner.fail("unexpected", message, itemHint(scanner, code));
};

const emptyList: readonly never[] = Object.freeze([]);

const readBracket = (scanner: Scanner): Bracket => {
  const at = scanner.position();
  if (++scanner.depth > maxGramDepth) {
    const hint = "Give the inner bracket an identity, put it at the top level, and refer to it.";
    scanner.fail("too-deep", `Expected at most ${maxGramDepth} levels of nested brackets, found more.`, hint);
  }
  scanner.offset++;
  const subject = readSubject(scanner, "the bracket's subject");
  const elements = scanner.skip() === charCodes.pipe ? readElements(scanner) : emptyList;
  expectClosingBracket(scanner, charCodes.closeBracket, "the bracket", at);
  const inside = scanner.takeComments();
  scanner.depth--;
  return inside === undefined
    ? { kind: "bracket", subject, elements, at }
    : { kind: "bracket", subject, elements, at, comments: { inside } };
};

const readElements = (scanner: Scanner): readonly Element[] => {
  const at = scanner.position();
  scanner.offset++;
  const list = readDelimitedList(scanner, elementList);
  if (list.length === 0) {
    scanner.report("no-elements", "Expected an element after `|`, found `]`.", "Remove the `|`.", at);
  }
  return list;
};

const readElement = (scanner: Scanner): Element => {
  const code = scanner.skip();
  if (code === charCodes.open) return readPath(scanner);
  if (code === charCodes.openBracket) return readBracket(scanner);
  if (code === charCodes.at) {
    refuseAnnotations(scanner, "an element");
    return readElement(scanner);
  }
  const at = scanner.position();
  const identity = readIdentity(scanner);
  if (identity !== undefined) return { kind: "reference", identity, at };
  const hint =
    code === charCodes.comma
      ? "Remove one comma."
      : code === charCodes.openBrace
        ? "A record belongs to a subject: `(a {key: 1})`."
        : undefined;
  return scanner.fail("unexpected", `Expected an element, found ${scanner.found()}.`, hint);
};

const elementList: ListSyntax<Element> = {
  close: charCodes.closeBracket,
  one: "an element",
  whole: "the bracket",
  read: readElement,
  hint: (_, code) => {
    if (code < 0) return undefined;
    if (code === charCodes.colon || code === charCodes.openBrace) {
      return "A reference is a bare identity: define what has labels or properties in brackets or parentheses.";
    }
    if (
      code === charCodes.minus ||
      code === charCodes.equals ||
      code === charCodes.less ||
      code === charCodes.tilde
    ) {
      return "Arrows join nodes in parentheses: `(a)-->(b)`.";
    }
    return "Put a comma between the elements.";
  },
};

const itemHint = (scanner: Scanner, code: number): string | undefined => {
  if (
    code === charCodes.minus ||
    code === charCodes.equals ||
    code === charCodes.tilde ||
    code === charCodes.less
  ) {
    return "Arrows join nodes in parentheses: `(a)-->(b)`; a bracket lists what it joins: `[r | a, b]`.";
  }
  if (isSymbolStart(code) || isDigit(code) || code === charCodes.backtick) {
    return `A bare identity is a reference only inside a bracket; define it as a node: \`(${scanner.word()})\`.`;
  }
  if (code === charCodes.quote || code === charCodes.apostrophe)
    return "A string is a value and must be in a record.";
  if (code === charCodes.hash) return "Comments begin with `//`.";
  if (code === charCodes.close || code === charCodes.closeBracket || code === charCodes.closeBrace)
    return "There is no open bracket, brace or parenthesis to close.";
  return undefined;
};

const refuseComma = (scanner: Scanner): void => {
  const hint = "Remove the comma: top-level items are not separated by commas.";
  scanner.report("comma-between-items", "Expected the next item, found a comma.", hint);
  scanner.offset++;
};

const refuseRecord = (scanner: Scanner, afterItem: boolean): void => {
  const message = afterItem
    ? "Expected an item, found a record; a record can only be at the start of the text."
    : "Expected an item, found a second record.";
  const hint = afterItem
    ? "Move it to the top as the header, or into a subject: `(a {key: 1})`."
    : "Merge it into the first one, or put it into a subject: `(a {key: 1})`.";
  scanner.report("second-record", message, hint);
  readRecord(scanner);
};

const itemStarts = new Set<number>([charCodes.open, charCodes.openBracket, charCodes.at]);
// After one of these, the next line continues the open construct.
const continuations = new Set<number>([
  charCodes.pipe,
  charCodes.comma,
  charCodes.colon,
  charCodes.open,
  charCodes.openBracket,
  charCodes.openBrace,
]);

/** Skips to the next line that starts an item, to report its problems too. */
const findNextItem = (scanner: Scanner): boolean => {
  const { text } = scanner;
  scanner.depth = 0;
  for (let at = text.indexOf("\n", scanner.offset); at >= 0; at = text.indexOf("\n", at + 1)) {
    if (!itemStarts.has(scanner.codeAt(at + 1))) continue;
    let last = at;
    while (last > 0 && isSpace(scanner.codeAt(last))) last--;
    if (continuations.has(scanner.codeAt(last))) continue;
    scanner.advance(at + 1);
    scanner.dropComments();
    return true;
  }
  return false;
};

const readAnnotated = (scanner: Scanner): Annotated => {
  const at = scanner.position();
  const head = scanner.codeAt(scanner.offset + 1) === charCodes.at ? readHead(scanner) : { labels: [] };
  const properties: Property[] = [];
  // Earlier comments belong to the item.
  while (scanner.skip() === charCodes.at) {
    const before = scanner.takeComments();
    refuseSecondHead(scanner);
    const property = readGramAnnotation(scanner);
    scanner.skip();
    properties.push(attachComments(property, before, scanner.takeAfter()));
  }
  refuseDuplicates(scanner, properties);
  const before = scanner.takeComments();
  const target = attachComments(readTarget(scanner, properties), before, undefined);
  return { kind: "annotated", subject: { ...head, properties }, target, at };
};

const readHead = (scanner: Scanner): Pick<Subject, "identity" | "labels"> => {
  scanner.offset += 2;
  const identity = readIdentity(scanner);
  const labels = readLabels(scanner);
  if (identity === undefined && labels.length === 0) {
    const hint = "`@@` gives the annotation an identity or labels: `@@note:Comment (a)`.";
    scanner.fail(
      "bad-annotation",
      `Expected an identity or a label after \`@@\`, found ${scanner.found()}.`,
      hint,
    );
  }
  return identity === undefined ? { labels } : { identity, labels };
};

const refuseSecondHead = (scanner: Scanner): void => {
  if (scanner.codeAt(scanner.offset + 1) !== charCodes.at) return;
  const hint = "At most one `@@` is allowed, and it must be first.";
  scanner.fail("bad-annotation", "Expected `@key(value)` or an item, found `@@`.", hint);
};

const readTarget = (scanner: Scanner, properties: readonly Property[]): Bracket | Path => {
  const code = scanner.skip();
  if (code === charCodes.open) return readPath(scanner);
  if (code === charCodes.openBracket) return readBracket(scanner);
  const last = properties.at(-1);
  const hint =
    code === charCodes.openBrace
      ? "Properties of an annotation are written `@key(value)`."
      : last?.value.kind === "symbol"
        ? `If \`(${excerptOf(last.value.name)})\` is the item, give \`@${excerptOf(last.key)}\` a value before it: \`@${excerptOf(last.key)}(true) (${excerptOf(last.value.name)})\`.`
        : "An annotation must precede a node, a path or a bracket.";
  return scanner.fail(
    "bad-annotation",
    `Expected an item after the annotation, found ${scanner.found()}.`,
    hint,
  );
};
