import { charCodes, isDigit, isHexadecimal, isLetter, isSymbolPart } from "../characters.ts";
import type { NumberValue, PlainNumber } from "../document.ts";
import type { Scanner } from "./scanner.ts";

/** The longest match wins. */
export const readNumberToken = (scanner: Scanner): NumberValue => {
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

export const numberHint = (word: string): string => {
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
