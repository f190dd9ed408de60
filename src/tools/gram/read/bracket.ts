import { mark } from "../characters.ts";
import type { Bracket, Element } from "../document.ts";
import { mostDepth } from "../limits.ts";
import { refuseAnnotations } from "./annotation.ts";
import { readClose } from "./close.ts";
import { type ListOf, readList } from "./list.ts";
import { readPath } from "./path.ts";
import type { Scanner } from "./scanner.ts";
import { readIdentity, readSubject } from "./subject.ts";

const none: readonly never[] = Object.freeze([]);

/** The scanner stands on the opening bracket. */
export const readBracket = (scanner: Scanner): Bracket => {
  const at = scanner.position();
  if (++scanner.depth > mostDepth) {
    const hint = "Give the inner bracket an identity, put it at the top level, and refer to it.";
    scanner.fail("too-deep", `Expected at most ${mostDepth} brackets within each other, found more.`, hint);
  }
  scanner.offset++;
  const subject = readSubject(scanner, "the bracket's subject");
  const elements = scanner.skip() === mark.pipe ? readElements(scanner) : none;
  readClose(scanner, mark.closeBracket, "the bracket", at);
  const inside = scanner.takeComments();
  scanner.depth--;
  return inside === undefined
    ? { kind: "bracket", subject, elements, at }
    : { kind: "bracket", subject, elements, at, comments: { inside } };
};

const readElements = (scanner: Scanner): readonly Element[] => {
  const at = scanner.position();
  scanner.offset++;
  const list = readList(scanner, elements);
  if (list.length === 0) {
    scanner.report("no-elements", "Expected an element after `|`, found `]`.", "Remove the `|`.", at);
  }
  return list;
};

const readElement = (scanner: Scanner): Element => {
  const code = scanner.skip();
  if (code === mark.open) return readPath(scanner);
  if (code === mark.openBracket) return readBracket(scanner);
  if (code === mark.at) {
    refuseAnnotations(scanner, "an element");
    return readElement(scanner);
  }
  const at = scanner.position();
  const identity = readIdentity(scanner);
  if (identity !== undefined) return { kind: "reference", identity, at };
  const hint =
    code === mark.comma
      ? "Remove one comma."
      : code === mark.openBrace
        ? "A record belongs to a subject: `(a {key: 1})`."
        : undefined;
  return scanner.fail("unexpected", `Expected an element, found ${scanner.found()}.`, hint);
};

const elements: ListOf<Element> = {
  close: mark.closeBracket,
  one: "an element",
  whole: "the bracket",
  read: readElement,
  hint: (_, code) => {
    if (code < 0) return undefined;
    if (code === mark.colon || code === mark.openBrace) {
      return "A reference is a bare identity: define what has labels or properties in brackets or parentheses.";
    }
    if (code === mark.minus || code === mark.equals || code === mark.less || code === mark.tilde) {
      return "Arrows join nodes in parentheses: `(a)-->(b)`.";
    }
    return "Put a comma between the elements.";
  },
};
