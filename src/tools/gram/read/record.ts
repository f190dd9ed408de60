import { charCodes } from "../characters.ts";
import type { Comment, Property } from "../document.ts";
import { attachComments } from "./attach-comments.ts";
import { readSymbolKey, refuseDuplicates } from "./key.ts";
import { type ListSyntax, readDelimitedList } from "./read-delimited-list.ts";
import type { Scanner } from "./scanner.ts";
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
