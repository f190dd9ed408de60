import { charCodes } from "../characters.ts";
import type { Bracket, Element } from "../document.ts";
import { maxGramDepth } from "../limits.ts";
import { refuseAnnotations } from "./annotation.ts";
import { expectClosingBracket } from "./close.ts";
import { readPath } from "./path.ts";
import { type ListSyntax, readDelimitedList } from "./read-delimited-list.ts";
import type { Scanner } from "./scanner.ts";
import { readIdentity, readSubject } from "./subject.ts";

const emptyList: readonly never[] = Object.freeze([]);

export const readBracket = (scanner: Scanner): Bracket => {
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
