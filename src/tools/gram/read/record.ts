import { charCodes, isSymbolStart } from "../characters.ts";
import type { Comment, Property } from "../document.ts";
import {
  type ListSyntax,
  readDelimitedList,
  readSymbol,
  readSymbolKey,
  refuseDuplicates,
} from "./read-delimited-list.ts";
import { attachComments, excerptOf, type Scanner } from "./scanner.ts";
import { quoteHint, readColon, readValue, startsValue } from "./value.ts";

const readProperty = (scanner: Scanner): Property => {
  const at = scanner.position();
  const key = readSymbolKey(scanner);
  readColon(scanner);
  const double = scanner.codeAt(scanner.offset) === charCodes.colon;
  if (double) scanner.offset++;
  scanner.skip();
  const before = scanner.takeComments();
  const value = readValue(scanner);
  return attachComments(double ? { key, double, value, at } : { key, value, at }, before, undefined);
};

const recordHint = (scanner: Scanner, code: number): string | undefined => {
  if (code < 0) return undefined;
  if (code === charCodes.open)
    return "A node cannot be a value: make it an element, or join it with an arrow.";
  return startsValue(scanner, code) ? "Put a comma between the properties." : quoteHint;
};

const propertyList: ListSyntax<Property> = {
  close: charCodes.closeBrace,
  one: "a property",
  whole: "the record",
  read: readProperty,
  hint: recordHint,
};

export interface ParsedRecord {
  readonly properties: readonly Property[];
  readonly inside: readonly Comment[] | undefined;
}

export const readRecord = (scanner: Scanner): ParsedRecord => {
  scanner.offset++;
  const list = readDelimitedList(scanner, propertyList);
  refuseDuplicates(scanner, list);
  const inside = scanner.takeComments();
  scanner.offset++;
  return { properties: list, inside };
};

/** `@key(value)` */
export const readGramAnnotation = (scanner: Scanner): Property => {
  const at = scanner.position();
  scanner.offset++;
  const code = scanner.skip();
  if (!isSymbolStart(code)) {
    const hint =
      code === charCodes.backtick || code === charCodes.quote
        ? "The key of an annotation is a bare symbol."
        : undefined;
    scanner.fail("bad-annotation", `Expected a key after \`@\`, found ${scanner.found()}.`, hint);
  }
  const key = readSymbol(scanner);
  if (scanner.skip() !== charCodes.open) {
    const message = `Expected \`(\` after \`@${excerptOf(key)}\`, found ${scanner.found()}.`;
    scanner.fail("bad-annotation", message, `An annotation has a value: \`@${excerptOf(key)}(true)\`.`);
  }
  scanner.offset++;
  const value = readValue(scanner);
  if (scanner.skip() !== charCodes.close) {
    const message = `Expected \`)\` after the value of \`@${excerptOf(key)}\`, found ${scanner.found()}.`;
    scanner.fail("bad-annotation", message, `An annotation has one value: \`@${excerptOf(key)}(true)\`.`);
  }
  scanner.offset++;
  return { key, value, at };
};

export const refuseAnnotations = (scanner: Scanner, where: string): void => {
  while (scanner.skip() === charCodes.at) {
    const at = scanner.position();
    if (scanner.codeAt(scanner.offset + 1) !== charCodes.at && !isAnnotation(scanner)) {
      const hint = "Put a name that begins with `@` in backticks.";
      scanner.fail("bad-identity", `Expected an identity, found \`@\`.`, hint, at);
    }
    const hint =
      "Annotations are allowed only before top-level items: write it there, or as a property in braces.";
    scanner.report("annotation-inside", `Expected ${where}, found an annotation.`, hint, at);
    if (scanner.codeAt(scanner.offset + 1) === charCodes.at)
      scanner.fail("unexpected", "Expected no `@@` here.", hint, at);
    readGramAnnotation(scanner);
  }
};

const isAnnotation = (scanner: Scanner): boolean =>
  /^@\s*[A-Za-z_][0-9A-Za-z_.@-]*\s*\(/.test(scanner.text.slice(scanner.offset, scanner.offset + 200));
