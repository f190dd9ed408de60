const spaceClass = 1;
const letterClass = 2;
const digitClass = 4;
const symbolPartClass = 8;

const characterClasses = new Uint8Array(128);
for (const each of " \t\n\v\f\r") characterClasses[each.charCodeAt(0)] = spaceClass;
for (let code = 48; code <= 57; code++) characterClasses[code] = digitClass | symbolPartClass;
for (let code = 65; code <= 90; code++)
  characterClasses[code] = characterClasses[code + 32] = letterClass | symbolPartClass;
for (const each of "_.@-") characterClasses[each.charCodeAt(0)] = symbolPartClass;

// -1 marks the end of the text.
const isInClass = (code: number, kind: number): boolean =>
  code >= 0 && code < 128 && (characterClasses[code]! & kind) !== 0;

export const isSpace = (code: number): boolean => isInClass(code, spaceClass);
export const isLetter = (code: number): boolean => isInClass(code, letterClass);
export const isDigit = (code: number): boolean => isInClass(code, digitClass);
export const isSymbolPart = (code: number): boolean => isInClass(code, symbolPartClass);
export const isSymbolStart = (code: number): boolean => isInClass(code, letterClass) || code === 95;
export const isHexadecimal = (code: number): boolean =>
  isInClass(code, digitClass) || (code >= 65 && code <= 70) || (code >= 97 && code <= 102);

const symbolPattern = /^[A-Za-z_][0-9A-Za-z_.@-]*$/;
const integerPattern = /^-?(?:0|[1-9][0-9]*)$/;

export const isSymbol = (text: string): boolean => symbolPattern.test(text);
export const isInteger = (text: string): boolean => integerPattern.test(text);

export const charCodes = {
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

// Some readers drop a leading line break, or read a single line with `//` as a comment.
const misreadFence = /^\n|^\s*\/\/[^\n]*$/;

/** A fence ends at the first three backticks. */
export const canBeFenced = (value: string): boolean =>
  !value.includes("```") && !value.endsWith("`") && !misreadFence.test(value);

/** Avoids stack overflows here and in code that walks documents. */
export const maxGramDepth = 500;

export const maxDiagnostics = 20;

const invisible = /[\p{C}\p{Z}]/u;

export const isInvisible = (character: string): boolean => invisible.test(character);
