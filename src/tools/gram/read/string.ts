import { canBeFenced, charCodes, isSymbolPart, isSymbolStart } from "../characters.ts";
import type { StringValue, TaggedValue } from "../document.ts";
import type { Scanner } from "./scanner.ts";

const escapes: { readonly [letter: string]: string } = {
  b: "\b",
  f: "\f",
  n: "\n",
  r: "\r",
  t: "\t",
  "/": "/",
  "\\": "\\",
};

/** Any of the three quotes. */
export const readQuoted = (scanner: Scanner): string => {
  const { text } = scanner;
  const at = scanner.position();
  const quote = scanner.codeAt(scanner.offset);
  let content = "";
  let from = ++scanner.offset;
  for (;;) {
    const code = scanner.codeAt(scanner.offset);
    if (code === quote) break;
    if (code === 10 || code < 0) {
      const name = String.fromCharCode(quote);
      const end = code < 0 ? "the end of the text" : "the end of the line";
      const hint =
        code < 0
          ? `Close the string with ${name}.`
          : `Close it with ${name}, write \\n for a line break, or fence a longer text with three backticks.`;
      scanner.fail("unterminated-string", `Expected ${name} to close the string, found ${end}.`, hint, at);
    }
    if (code !== charCodes.backslash) {
      scanner.offset++;
      continue;
    }
    content += text.slice(from, scanner.offset);
    const letter = text.charAt(scanner.offset + 1);
    const meaning = letter.charCodeAt(0) === quote ? letter : escapes[letter];
    if (meaning === undefined) badEscape(scanner, letter, quote);
    else content += meaning;
    scanner.offset += letter === "" || letter === "\n" ? 1 : 2;
    from = scanner.offset;
  }
  const value =
    content === "" ? text.slice(from, scanner.offset) : content + text.slice(from, scanner.offset);
  scanner.offset++;
  return value;
};

const badEscape = (scanner: Scanner, letter: string, quote: number): void => {
  const own = String.fromCharCode(quote);
  const expected = `\\b \\f \\n \\r \\t \\/ \\\\ or \\${own}`;
  const hints: { readonly [letter: string]: string } = {
    u: "Gram has no \\u escape: write the character itself.",
    x: "Gram has no \\x escape: write the character itself.",
    "'": "Only the string's own quote is escaped: write ' alone.",
    '"': "Only the string's own quote is escaped: write \" alone.",
    "`": "Only the string's own quote is escaped: write the backtick alone.",
  };
  const hint = hints[letter] ?? "Write \\\\ for a backslash.";
  const shown = letter === "" || letter < " " ? "\\" : `\\${letter}`;
  scanner.report("bad-escape", `Expected the escape ${expected}, found ${shown}.`, hint);
};

export const isFence = (scanner: Scanner): boolean => scanner.text.startsWith("```", scanner.offset);

/** Three backticks, an optional tag, a line break, and text up to three backticks. */
export const readFenced = (scanner: Scanner): StringValue | TaggedValue => {
  const { text } = scanner;
  const at = scanner.position();
  scanner.offset += 3;
  skipBlanks(scanner);
  const tag = readTag(scanner);
  skipBlanks(scanner);
  const code = scanner.codeAt(scanner.offset);
  const open = code === 13 ? scanner.offset + 2 : scanner.offset + 1;
  if (text.charCodeAt(open - 1) !== 10) {
    const hint = "The text begins on the line after the opening fence; use quotes for a text of one line.";
    scanner.fail(
      "fence-line",
      `Expected a line break after the opening fence, found ${scanner.found()}.`,
      hint,
    );
  }
  const close = text.indexOf("```", open);
  if (close < 0) {
    const hint = "Close the text with three backticks.";
    scanner.fail("unterminated-string", "Expected three backticks, found the end of the text.", hint, at);
  }
  scanner.advance(close + 3);
  const value = text.slice(open, close);
  // Readers disagree on some fences.
  const style = canBeFenced(value) ? "fenced" : "quoted";
  return tag === "" ? { kind: "string", value, style, at } : { kind: "tagged", tag, value, style, at };
};

const skipBlanks = (scanner: Scanner): void => {
  for (let code = scanner.codeAt(scanner.offset); code === 32 || code === 9; )
    code = scanner.codeAt(++scanner.offset);
};

const readTag = (scanner: Scanner): string => {
  const start = scanner.offset;
  if (isSymbolStart(scanner.codeAt(start))) {
    while (isSymbolPart(scanner.codeAt(scanner.offset))) scanner.offset++;
  }
  return scanner.text.slice(start, scanner.offset);
};
