import { type CharSet, complement, digits, lastCodePoint, spaces, wordCharacters } from "./char-set.ts";

/** `properties` are escapes such as `\p{L}`, computed on demand. */
export interface CharClass {
  readonly ranges: CharSet;
  readonly properties: readonly string[];
  readonly negated: boolean;
}

/** The message completes "the pattern …". */
export class PatternError extends Error {}

export const classOf = (ranges: CharSet): CharClass => ({ ranges, properties: [], negated: false });

const single = (code: number): CharClass => classOf([[code, code]]);

export const literalClass = (character: string): CharClass => single(character.codePointAt(0)!);

export class PatternCursor {
  private at = 0;
  private readonly source: string;

  constructor(source: string) {
    this.source = source;
  }

  peek(): string | undefined {
    const code = this.source.codePointAt(this.at);
    return code === undefined ? undefined : String.fromCodePoint(code);
  }

  take(): string {
    const next = this.peek();
    if (next === undefined) throw new PatternError("ends too early");
    this.at += next.length;
    return next;
  }

  skip(text: string): boolean {
    if (!this.source.startsWith(text, this.at)) return false;
    this.at += text.length;
    return true;
  }

  advance(text: string): void {
    this.at += text.length;
  }

  rest(): string {
    return this.source.slice(this.at, this.at + 80);
  }
}

const escapeSets: Readonly<Record<string, CharSet>> = {
  d: digits,
  D: complement(digits),
  s: spaces,
  S: complement(spaces),
  w: wordCharacters,
  W: complement(wordCharacters),
};

const controlEscapes: Readonly<Record<string, number>> = { t: 9, n: 10, v: 11, f: 12, r: 13 };

const codeEscapes: readonly (readonly [RegExp, (digits: string) => number])[] = [
  // A surrogate pair is one character.
  [/^u([dD][89abAB][\da-fA-F]{2}\\u[dD][c-fC-F][\da-fA-F]{2})/, (pair) => joinSurrogates(pair)],
  [/^u([\da-fA-F]{4})/, (hex) => Number.parseInt(hex, 16)],
  [/^u\{([\da-fA-F]+)\}/, (hex) => Number.parseInt(hex, 16)],
  [/^x([\da-fA-F]{2})/, (hex) => Number.parseInt(hex, 16)],
  [/^c([a-zA-Z])/, (letter) => letter.charCodeAt(0) % 32],
  [/^(0)(?!\d)/, () => 0],
];

const joinSurrogates = (pair: string): number =>
  String.fromCharCode(Number.parseInt(pair.slice(0, 4), 16), Number.parseInt(pair.slice(6), 16)).codePointAt(
    0,
  )!;

/** Inside a class `\b` is a backspace. */
export const readEscape = (cursor: PatternCursor, inClass: boolean): CharClass => {
  const rest = cursor.rest();
  for (const [shape, toCode] of codeEscapes) {
    const found = shape.exec(rest);
    if (found === null) continue;
    cursor.advance(found[0]);
    const code = toCode(found[1]!);
    if (code > lastCodePoint) throw new PatternError(`names a character that does not exist: \\${found[0]}`);
    return single(code);
  }
  const property = /^[pP]\{[\w=]+\}/.exec(rest)?.[0];
  if (property !== undefined) return readProperty(cursor, property);
  const next = cursor.take();
  if (Object.hasOwn(escapeSets, next)) return classOf(escapeSets[next]!);
  if (Object.hasOwn(controlEscapes, next)) return single(controlEscapes[next]!);
  if (inClass && next === "b") return single(8);
  if (/[1-9k]/.test(next)) throw new PatternError(`refers back to a group with \\${next}`);
  if (/[\p{ID_Continue}]/u.test(next) && next !== "_") {
    throw new PatternError(`has an escape that ECMA-262 does not know: \\${next}`);
  }
  return literalClass(next);
};

const readProperty = (cursor: PatternCursor, name: string): CharClass => {
  const property = `\\${name}`;
  try {
    new RegExp(property, "u");
  } catch {
    throw new PatternError(`names a property that Unicode does not have: ${property}`);
  }
  cursor.advance(name);
  return { ranges: [], properties: [property], negated: false };
};
