import {
  type JsonLimits,
  type JsonProblem,
  maxDepthOf,
  maxLengthOf,
  quoteShort,
  textProblem,
} from "./json-problem.ts";

interface Frame {
  /** Undefined for an array. */
  readonly keys: Set<string> | undefined;
  step: string | number;
}

/** Slower and more exact than `readJson`; linear and without recursion. */
export const findProblem = (text: string, limits?: JsonLimits): JsonProblem | undefined => {
  const maxLength = maxLengthOf(limits);
  if (text.length > maxLength) {
    const what = `The text has ${text.length} characters; at most ${maxLength} are read`;
    return textProblem(text, maxLength, [], what);
  }
  return new TextProblemFinder(text, maxDepthOf(limits)).find();
};

type TokenEnd = { readonly end: number } | { readonly fault: string; readonly at: number };

const escapes = /^(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/;

const badEscape = (text: string, at: number): TokenEnd => {
  const next = text[at + 1];
  if (next === undefined) return { fault: "The text ends inside a string", at };
  if (next === "u") return { fault: "A \\u escape needs exactly four hexadecimal digits", at };
  const advice = next === "'" ? "write ' without a backslash" : "write \\\\ for a backslash";
  return { fault: `${quoteShort(`\\${next}`)} is not an escape that JSON has; ${advice}`, at };
};

const stringToken = (text: string, at: number): TokenEnd => {
  for (let i = at + 1; i < text.length; i++) {
    const code = text.charCodeAt(i);
    if (code === 34) return { end: i + 1 };
    if (code === 92) {
      if (!escapes.test(text.slice(i + 1, i + 6))) return badEscape(text, i);
      i += text[i + 1] === "u" ? 5 : 1;
    } else if (code < 32) {
      const name = code === 10 ? "line break" : code === 9 ? "tab" : "control character";
      const written = JSON.stringify(text[i]).slice(1, -1);
      return { fault: `A raw ${name} is inside a string; write it as ${written}`, at: i };
    }
  }
  return { fault: 'This string is never closed; add the missing "', at };
};

const numberToken = (text: string, at: number): TokenEnd => {
  const start = text[at] === "-" ? at + 1 : at;
  let end = digitsEnd(text, start);
  if (end === start) return { fault: "A minus sign needs a digit after it", at };
  if (text[start] === "0" && end > start + 1) {
    return { fault: "A number must not start with 0; drop the leading zeros", at };
  }
  if (text[end] === ".") {
    const fraction = end + 1;
    end = digitsEnd(text, fraction);
    if (end === fraction) return { fault: "A decimal point needs a digit after it", at: fraction };
  }
  if (text[end] === "e" || text[end] === "E") {
    const power = end + (text[end + 1] === "+" || text[end + 1] === "-" ? 2 : 1);
    end = digitsEnd(text, power);
    if (end === power) return { fault: "An exponent needs a digit after it", at: power };
  }
  return isExactNumber(text.slice(start, end))
    ? { end }
    : { fault: inexactNumberFault(text.slice(at, end)), at };
};

export const digitsEnd = (text: string, at: number): number => {
  while (at < text.length) {
    const code = text.charCodeAt(at);
    if (code < 48 || code > 57) break;
    at++;
  }
  return at;
};

/** Equal numbers have equal results. */
const significantDigitsOf = (literal: string): string => {
  const mark = literal.search(/[eE]/);
  const mantissa = mark < 0 ? literal : literal.slice(0, mark);
  const exponent = mark < 0 ? 0 : Number(literal.slice(mark + 1));
  const point = mantissa.indexOf(".");
  const digits = mantissa.replace(".", "");
  let first = 0;
  while (digits[first] === "0") first++;
  let end = digits.length;
  while (end > first && digits[end - 1] === "0") end--;
  return `${digits.slice(first, end)}e${(point < 0 ? digits.length : point) - first + exponent}`;
};

/**
 * Whether a number literal without its minus sign keeps its value in JavaScript. Decimal fractions may be
 * rounded. A whole number is often an id: beyond 2^53-1 it is refused when written in full, and with a point
 * or exponent it must keep every digit. Only zero may become zero.
 */
export const isExactNumber = (literal: string): boolean => {
  const value = Number(literal);
  if (!/[.eE]/.test(literal)) return Number.isSafeInteger(value);
  if (!Number.isFinite(value)) return false;
  if (value === 0) return !/[1-9]/.test(literal.split(/[eE]/, 1)[0]!);
  if (value <= Number.MAX_SAFE_INTEGER) return true;
  return significantDigitsOf(literal) === significantDigitsOf(String(value));
};

const inexactNumberFault = (literal: string): string => {
  const value = Number(literal);
  const shown = quoteShort(literal).slice(1, -1);
  if (!Number.isFinite(value)) return `The number ${shown} is too large to be represented`;
  if (value === 0) return `The number ${shown} is too small and would become 0`;
  return `The number ${shown} would lose digits: whole numbers must lie within ±9007199254740991; write it as a string, "${shown}", if the schema allows one`;
};

const literals = ["true", "false", "null"];
const literalCorrections: Record<string, string> = {
  True: "true",
  TRUE: "true",
  False: "false",
  FALSE: "false",
  None: "null",
  NULL: "null",
  Null: "null",
  nil: "null",
  undefined: "null, or omit the member",
  NaN: "null or a string",
  Infinity: "null or a string",
};

const wordToken = (text: string, at: number): TokenEnd => {
  let end = at;
  while (end < text.length && /[\w$]/.test(text[end]!)) end++;
  const word = text.slice(at, end);
  if (literals.includes(word)) return { end };
  const right = Object.hasOwn(literalCorrections, word) ? literalCorrections[word] : undefined;
  if (right !== undefined) return { fault: `${word} is not JSON; write ${right}`, at };
  const cut = literals.find((known) => end === text.length && known.startsWith(word));
  if (cut !== undefined) return { fault: `The text ends inside ${cut}`, at };
  return { fault: `Expected a value but found ${quoteShort(word)}; text needs double quotes around it`, at };
};

class TextProblemFinder {
  readonly #text: string;
  readonly #maxDepth: number;
  readonly #open: Frame[] = [];
  #at = 0;

  constructor(text: string, maxDepth: number) {
    this.#text = text;
    this.#maxDepth = maxDepth;
  }

  find(): JsonProblem | undefined {
    this.#skipSpace();
    if (this.#at === this.#text.length) return this.#problem("The text is empty; write one JSON value");
    let problem = this.#value();
    while (problem === undefined && this.#open.length > 0) problem = this.#next(this.#open.at(-1)!);
    if (problem !== undefined) return problem;
    this.#skipSpace();
    if (this.#at === this.#text.length) return undefined;
    return this.#problem(
      `The JSON value is complete; send nothing after it, but the text continues with ${this.#found()}`,
    );
  }

  #next(frame: Frame): JsonProblem | undefined {
    const isFirst = frame.step === -1;
    const end = frame.keys === undefined ? "]" : "}";
    this.#skipSpace();
    if (this.#here() === end) {
      this.#at++;
      this.#open.pop();
      return undefined;
    }
    if (!isFirst) {
      if (this.#here() !== ",") return this.#problem(`Expected "," or "${end}" but found ${this.#found()}`);
      this.#at++;
      this.#skipSpace();
      if (this.#here() === end) return this.#problem(`Remove the comma before "${end}"`);
    }
    if (frame.keys === undefined) {
      frame.step = (frame.step as number) + 1;
      return this.#value();
    }
    return this.#key(frame, frame.keys) ?? this.#value();
  }

  #key(frame: Frame, keys: Set<string>): JsonProblem | undefined {
    const start = this.#at;
    if (this.#here() !== '"') {
      const first = keys.size === 0 ? ' or "}"' : "";
      return this.#problem(`Expected a key in double quotes${first} but found ${this.#found()}`);
    }
    const problem = this.#take(stringToken(this.#text, start));
    if (problem !== undefined) return problem;
    const key = JSON.parse(this.#text.slice(start, this.#at)) as string;
    frame.step = key;
    const refusal = this.#refusal(key, keys);
    if (refusal !== undefined) return this.#problem(refusal, start);
    keys.add(key);
    this.#skipSpace();
    if (this.#here() !== ":") {
      return this.#problem(`Expected ":" after the key ${quoteShort(key)} but found ${this.#found()}`);
    }
    this.#at++;
    return undefined;
  }

  #refusal(key: string, keys: Set<string>): string | undefined {
    if (keys.has(key)) return `The key ${quoteShort(key)} is duplicated in one object; keep one of them`;
    if (key === "__proto__") return 'The key "__proto__" is never accepted; remove it';
    if (key !== "prototype") return undefined;
    const parent = this.#open.at(-2);
    if (parent?.keys === undefined || parent.step !== "constructor") return undefined;
    return 'The key "prototype" inside "constructor" is never accepted; remove it';
  }

  #value(): JsonProblem | undefined {
    this.#skipSpace();
    const here = this.#here();
    if (here === "{" || here === "[") {
      if (this.#open.length >= this.#maxDepth) {
        return this.#problem(`Arrays and objects are nested deeper than ${this.#maxDepth} levels`);
      }
      this.#at++;
      this.#open.push({ keys: here === "{" ? new Set() : undefined, step: -1 });
      return undefined;
    }
    if (here === '"') return this.#take(stringToken(this.#text, this.#at));
    if (here === "-" || (here >= "0" && here <= "9")) return this.#take(numberToken(this.#text, this.#at));
    if (/[A-Za-z_$]/.test(here)) return this.#take(wordToken(this.#text, this.#at));
    const advice = here === "+" || here === "." ? "; a number starts with a digit or a minus sign" : "";
    return this.#problem(`Expected a value but found ${this.#found()}${advice}`);
  }

  #take(token: TokenEnd): JsonProblem | undefined {
    if ("fault" in token) return this.#problem(token.fault, token.at);
    this.#at = token.end;
    return undefined;
  }

  #here(): string {
    return this.#text[this.#at] ?? "";
  }

  #skipSpace(): void {
    let here = this.#here();
    while (here === " " || here === "\n" || here === "\t" || here === "\r") {
      this.#at++;
      here = this.#here();
    }
  }

  #found(): string {
    const here = this.#here();
    if (here === "") return "the end of the text";
    if (here === '"') return "a double quote";
    if (here === "'") return "a single quote; JSON strings use double quotes";
    if (here === "\uFEFF") return "a byte order mark; remove it";
    if (here === "`") return "a backtick; send bare JSON without a code fence";
    if (here === "/" || here === "#") return `${quoteShort(here)}; JSON has no comments`;
    if (/[“”„«»‘’]/.test(here)) return `${quoteShort(here)}; use the straight double quote`;
    return quoteShort(String.fromCodePoint(this.#text.codePointAt(this.#at)!));
  }

  #problem(what: string, at = this.#at): JsonProblem {
    const path = this.#open.map((frame) => frame.step).filter((step) => step !== -1);
    return textProblem(this.#text, at, path, what);
  }
}
