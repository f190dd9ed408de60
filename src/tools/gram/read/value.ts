import {
  charCodes,
  isDigit,
  isHexadecimal,
  isLetter,
  isSymbolPart,
  isSymbolStart,
  maxGramDepth,
} from "../characters.ts";
import type { MapEntry, NumberValue, PlainNumber, Scalar, Value } from "../document.ts";
import {
  type ListSyntax,
  readDelimitedList,
  readSymbol,
  readSymbolKey,
  refuseDuplicates,
} from "./read-delimited-list.ts";
import { attachComments, excerptOf, foreignHint, type Scanner } from "./scanner.ts";
import { isFence, readFenced, readQuoted } from "./string.ts";

export const readValue = (scanner: Scanner): Value => {
  const code = scanner.skip();
  if (code === charCodes.openBracket) return readArray(scanner);
  if (code === charCodes.openBrace) return readMap(scanner);
  return readScalar(scanner);
};

const readScalar = (scanner: Scanner): Scalar => {
  const code = scanner.skip();
  const at = scanner.position();
  if (code === charCodes.quote || code === charCodes.apostrophe) {
    return { kind: "string", value: readQuoted(scanner), style: "quoted", at };
  }
  if (isSymbolStart(code)) return readWord(scanner);
  if (startsNumber(scanner, code)) return readNumberOrRange(scanner);
  if (code === charCodes.backtick) {
    if (isFence(scanner)) return readFenced(scanner);
    return { kind: "string", value: readQuoted(scanner), style: "quoted", at };
  }
  if (code === charCodes.dot && scanner.text.startsWith("...", scanner.offset)) {
    scanner.offset += 3;
    return { kind: "range", to: readEnd(scanner), at };
  }
  if (code === charCodes.openBracket || code === charCodes.openBrace) return nested(scanner, code);
  return scanner.fail("bad-value", `Expected a value, found ${scanner.found()}.`, valueHint(scanner, code));
};

const startsNumber = (scanner: Scanner, code: number): boolean =>
  isDigit(code) || (code === charCodes.minus && isDigit(scanner.codeAt(scanner.offset + 1)));

/** A symbol, a boolean, or a tag before a string in backticks. */
const readWord = (scanner: Scanner): Scalar => {
  const at = scanner.position();
  const name = readSymbol(scanner);
  if (scanner.skip() === charCodes.backtick) {
    if (isFence(scanner)) {
      const hint = `Write the tag after the fence: \`\`\`${excerptOf(name)}`;
      scanner.fail("fence-line", "Expected a string after the tag, found a fence.", hint);
    }
    return { kind: "tagged", tag: name, value: readQuoted(scanner), style: "quoted", at };
  }
  if (name === "true" || name === "false") return { kind: "boolean", value: name === "true", at };
  return { kind: "symbol", name, at };
};

const readNumberOrRange = (scanner: Scanner): Scalar => {
  const from = readNumberToken(scanner);
  if (scanner.skip() !== charCodes.dot) return from;
  if (scanner.text.startsWith("...", scanner.offset)) {
    scanner.offset += 3;
    return { kind: "range", from, at: from.at };
  }
  if (!scanner.text.startsWith("..", scanner.offset)) return from;
  scanner.offset += 2;
  return { kind: "range", from, to: readEnd(scanner), at: from.at };
};

/** The longest match wins. */
const readNumberToken = (scanner: Scanner): NumberValue => {
  const at = scanner.position();
  const start = scanner.offset;
  const minus = scanner.codeAt(start) === charCodes.minus;
  const first = minus ? start + 1 : start;
  const zero = scanner.codeAt(first) === charCodes.zero;
  const whole = zero ? first + 1 : digitsEnd(scanner, first);
  const unit = lettersEnd(scanner, whole);
  const plain = (kind: PlainNumber["kind"], end: number): NumberValue => {
    scanner.offset = end;
    refuseRest(scanner, start, at);
    return { kind, text: scanner.text.slice(start, end), at };
  };
  if (zero && !minus) {
    const hexadecimal = hexadecimalEnd(scanner, whole);
    if (hexadecimal >= unit && hexadecimal > whole) return plain("hexadecimal", hexadecimal);
    const octal = octalEnd(scanner, whole);
    if (octal > whole) return plain("octal", octal);
  }
  if (unit > whole) {
    scanner.offset = unit;
    refuseRest(scanner, start, at);
    const amount = scanner.text.slice(start, whole);
    return { kind: "measurement", amount, unit: scanner.text.slice(whole, unit), at };
  }
  const decimal = scanner.codeAt(whole) === charCodes.dot && isDigit(scanner.codeAt(whole + 1));
  return decimal ? plain("decimal", digitsEnd(scanner, whole + 1)) : plain("integer", whole);
};

const digitsEnd = (scanner: Scanner, from: number): number => {
  let end = from;
  while (isDigit(scanner.codeAt(end))) end++;
  return end;
};

const lettersEnd = (scanner: Scanner, from: number): number => {
  let end = from;
  while (isLetter(scanner.codeAt(end))) end++;
  return end;
};

const octalEnd = (scanner: Scanner, from: number): number => {
  let end = from;
  for (let code = scanner.codeAt(end); code >= 48 && code <= 55; code = scanner.codeAt(end)) end++;
  return end;
};

/** `from` if there are none. */
const hexadecimalEnd = (scanner: Scanner, from: number): number => {
  if (scanner.codeAt(from) !== 120 || !isHexadecimal(scanner.codeAt(from + 1))) return from;
  let end = from + 1;
  while (isHexadecimal(scanner.codeAt(end))) end++;
  return end;
};

/** The dots of a range are allowed. */
const refuseRest = (scanner: Scanner, start: number, at: NumberValue["at"]): void => {
  const code = scanner.codeAt(scanner.offset);
  const dots = code === charCodes.dot && scanner.codeAt(scanner.offset + 1) === charCodes.dot;
  if (dots || !(isSymbolPart(code) || code === charCodes.plus)) return;
  let end = scanner.offset;
  while (end - start < 60 && (isSymbolPart(scanner.codeAt(end)) || scanner.codeAt(end) === charCodes.plus))
    end++;
  const word = scanner.text.slice(start, end);
  scanner.report("bad-number", `Expected a number, found \`${word}\`.`, numberHint(word), at);
  while (isSymbolPart(scanner.codeAt(end)) || scanner.codeAt(end) === charCodes.plus) end++;
  scanner.offset = end;
};

const withoutExponent = (word: string): string | undefined => {
  const text = String(Number(word));
  return /^-?(0|[1-9][0-9]*)(\.[0-9]+)?$/.test(text) ? text : undefined;
};

const numberHint = (word: string): string => {
  if (/^-?[0-9]+(\.[0-9]+)?[eE][+-]?[0-9]+$/.test(word)) {
    const plain = withoutExponent(word);
    return `Gram has no exponents: write ${plain ?? "the digits out, or a string"}.`;
  }
  if (/^[0-9]{4}-[0-9]{2}-[0-9]{2}/.test(word)) return `Tag a date: date\`${word}\`, or quote it.`;
  if (/^0o[0-7]+$/.test(word)) return `An octal number begins with 0 alone: 0${word.slice(2)}.`;
  if (/^-?0[0-9]/.test(word))
    return "A number begins with 0 only when it is octal, without a minus: drop the zeros.";
  if (/^-?[0-9]+\.[0-9]+[A-Za-z]+$/.test(word))
    return `A measurement can only have a whole number: quote "${word}".`;
  if (/^-?[0-9][0-9_]*$/.test(word)) return `Digits are not grouped: write ${word.replaceAll("_", "")}.`;
  return `Quote it when it is text: "${word}".`;
};

const readEnd = (scanner: Scanner): NumberValue => {
  const code = scanner.skip();
  if (startsNumber(scanner, code)) return readNumberToken(scanner);
  const hint = "A range is `1..2`, `1...` without an upper end, or `...2` without a lower one.";
  return scanner.fail("bad-range", `Expected a number after the dots, found ${scanner.found()}.`, hint);
};

const listHint = (scanner: Scanner, code: number): string | undefined => {
  if (code < 0) return undefined;
  if (code === charCodes.colon) return "Only maps in braces have keys.";
  return startsValue(scanner, code) ? "Put a comma between the values." : quoteHint;
};

export const quoteHint = "Quote text that is more than one symbol.";

export const startsValue = (scanner: Scanner, code: number): boolean =>
  isSymbolStart(code) ||
  startsNumber(scanner, code) ||
  code === charCodes.quote ||
  code === charCodes.apostrophe ||
  code === charCodes.backtick ||
  code === charCodes.openBrace ||
  code === charCodes.openBracket;

const values: ListSyntax<Scalar> = {
  close: charCodes.closeBracket,
  one: "a value",
  whole: "the array",
  read: readScalar,
  hint: listHint,
};

const readArray = (scanner: Scanner): Value => {
  const at = scanner.position();
  scanner.offset++;
  const items = readDelimitedList(scanner, values);
  if (items.length === 0) {
    const hint = "Gram has no empty array: omit the property.";
    scanner.report("empty-array", "Expected a value in the array, found `]`.", hint, at);
  }
  const inside = scanner.takeComments();
  scanner.offset++;
  return inside === undefined
    ? { kind: "array", items, at }
    : { kind: "array", items, at, comments: { inside } };
};

const entries: ListSyntax<MapEntry> = {
  close: charCodes.closeBrace,
  one: "an entry",
  whole: "the map",
  read: (scanner) => {
    const at = scanner.position();
    const key = readSymbolKey(scanner);
    readColon(scanner);
    if (scanner.codeAt(scanner.offset) === charCodes.colon) {
      const hint = "Write `:` here; `::` is for the properties of a record.";
      scanner.report("double-colon", "Expected `:` in a map, found `::`.", hint);
      scanner.offset++;
    }
    scanner.skip();
    const before = scanner.takeComments();
    return attachComments({ key, value: readScalar(scanner), at }, before, undefined);
  },
  hint: (scanner, code) =>
    code < 0 ? undefined : startsValue(scanner, code) ? "Put a comma between the entries." : quoteHint,
};

const readMap = (scanner: Scanner): Value => {
  const at = scanner.position();
  scanner.offset++;
  const list = readDelimitedList(scanner, entries);
  refuseDuplicates(scanner, list);
  const inside = scanner.takeComments();
  scanner.offset++;
  return inside === undefined
    ? { kind: "map", entries: list, at }
    : { kind: "map", entries: list, at, comments: { inside } };
};

export const readColon = (scanner: Scanner): void => {
  const code = scanner.skip();
  if (code === charCodes.colon) {
    scanner.offset++;
    return;
  }
  const hint =
    code === charCodes.equals
      ? "Write `:` between a key and its value."
      : code === charCodes.comma || code === charCodes.closeBrace
        ? "Every key has a value: `key: true`."
        : undefined;
  scanner.fail("no-colon", `Expected \`:\` after the key, found ${scanner.found()}.`, hint);
};

const nested = (scanner: Scanner, code: number): Scalar => {
  const what = code === charCodes.openBrace ? "a map" : "an array";
  const hint =
    "Arrays and maps hold plain values only: make it a separate element, or put JSON in a string tagged json.";
  scanner.report("nested-value", `Expected a plain value, found ${what}.`, hint);
  if (++scanner.depth > maxGramDepth) {
    scanner.fail("too-deep", `Expected at most ${maxGramDepth} levels, found more.`);
  }
  const at = scanner.position();
  readValue(scanner);
  scanner.depth--;
  return { kind: "symbol", name: "nested", at };
};

const valueHint = (scanner: Scanner, code: number): string | undefined => {
  const next = scanner.codeAt(scanner.offset + 1);
  if (code === charCodes.plus) return "A number has no plus sign.";
  if (code === charCodes.dot && isDigit(next)) return `Write 0${scanner.word()}.`;
  if (code === charCodes.open)
    return "A node cannot be a value: make it an element, `[a | (b)]`, or join it with an arrow.";
  if (code === charCodes.hash) return "Comments begin with `//`; quote text that begins with `#`.";
  if (code === charCodes.comma || code === charCodes.closeBrace) return "Every key has a value.";
  if (code === charCodes.at || code === charCodes.minus || code === charCodes.dot)
    return "Quote text that is not a symbol.";
  return foreignHint(scanner, "Put text with characters other than A to Z in quotes.");
};
