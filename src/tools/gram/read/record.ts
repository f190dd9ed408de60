import { mark } from "../characters.ts";
import type { Comment, Property } from "../document.ts";
import { attach } from "./attach.ts";
import { readKey, refuseDuplicates } from "./key.ts";
import { type ListOf, readList } from "./list.ts";
import type { Scanner } from "./scanner.ts";
import { quoteHint, readColon, readValue, startsValue } from "./value.ts";

const readProperty = (scanner: Scanner): Property => {
  const at = scanner.position();
  const key = readKey(scanner);
  readColon(scanner);
  const double = scanner.codeAt(scanner.offset) === mark.colon;
  if (double) scanner.offset++;
  scanner.skip();
  const before = scanner.takeComments();
  const value = readValue(scanner);
  return attach(double ? { key, double, value, at } : { key, value, at }, before, undefined);
};

const hint = (scanner: Scanner, code: number): string | undefined => {
  if (code < 0) return undefined;
  if (code === mark.open) return "A node is no value: make it an element, or join it with an arrow.";
  return startsValue(scanner, code) ? "Put a comma between the properties." : quoteHint;
};

const properties: ListOf<Property> = {
  close: mark.closeBrace,
  one: "a property",
  whole: "the record",
  read: readProperty,
  hint,
};

export interface ReadRecord {
  readonly properties: readonly Property[];
  readonly inside: readonly Comment[] | undefined;
}

/** The scanner stands on the opening brace. */
export const readRecord = (scanner: Scanner): ReadRecord => {
  scanner.offset++;
  const list = readList(scanner, properties);
  refuseDuplicates(scanner, list);
  const inside = scanner.takeComments();
  scanner.offset++;
  return { properties: list, inside };
};
