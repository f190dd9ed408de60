const space = 1;
const letter = 2;
const digit = 4;
const part = 8;

const kinds = new Uint8Array(128);
for (const each of " \t\n\v\f\r") kinds[each.charCodeAt(0)] = space;
for (let code = 48; code <= 57; code++) kinds[code] = digit | part;
for (let code = 65; code <= 90; code++) kinds[code] = kinds[code + 32] = letter | part;
for (const each of "_.@-") kinds[each.charCodeAt(0)] = part;

// -1, the end of the text, is of no kind, nor is anything outside ASCII.
const is = (code: number, kind: number): boolean => code >= 0 && code < 128 && (kinds[code]! & kind) !== 0;

export const isSpace = (code: number): boolean => is(code, space);
export const isLetter = (code: number): boolean => is(code, letter);
export const isDigit = (code: number): boolean => is(code, digit);
export const isSymbolPart = (code: number): boolean => is(code, part);
export const isSymbolStart = (code: number): boolean => is(code, letter) || code === 95;
export const isHexadecimal = (code: number): boolean =>
  is(code, digit) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);

const symbol = /^[A-Za-z_][0-9A-Za-z_.@-]*$/;
const integer = /^-?(?:0|[1-9][0-9]*)$/;

export const isSymbol = (text: string): boolean => symbol.test(text);
export const isInteger = (text: string): boolean => integer.test(text);

/** The characters that mean something by themselves. */
export const mark = {
  quote: 34,
  hash: 35,
  apostrophe: 39,
  open: 40,
  close: 41,
  star: 42,
  plus: 43,
  comma: 44,
  minus: 45,
  dot: 46,
  slash: 47,
  zero: 48,
  colon: 58,
  less: 60,
  equals: 61,
  greater: 62,
  at: 64,
  openBracket: 91,
  backslash: 92,
  closeBracket: 93,
  backtick: 96,
  openBrace: 123,
  pipe: 124,
  closeBrace: 125,
  tilde: 126,
} as const;
