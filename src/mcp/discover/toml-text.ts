const escapes: Readonly<Record<string, string>> = {
  b: "\b",
  t: "\t",
  n: "\n",
  f: "\f",
  r: "\r",
  '"': '"',
  "\\": "\\",
};

const number =
  /^[+-]?(?:0x[\da-fA-F_]+|0o[0-7_]+|0b[01_]+|(?:\d[\d_]*(?:\.\d[\d_]*)?(?:[eE][+-]?\d[\d_]*)?)|inf|nan)$/;
const date = /^(?:\d{4}-\d\d-\d\d|\d\d:\d\d)[\dT:.Zz+ -]*$/;

/** A TOML text that is read from its beginning to its end, and knows where it is. Throws where it cannot go on. */
export class TomlText {
  readonly #text: string;
  #at = 0;

  constructor(text: string) {
    this.#text = text;
  }

  isOver(): boolean {
    return this.#at >= this.#text.length;
  }

  place(): { readonly line: number; readonly column: number } {
    const before = this.#text.slice(0, this.#at).split("\n");
    return { line: before.length, column: before.at(-1)!.length + 1 };
  }

  skipSpace(): void {
    while (this.#text[this.#at] === " " || this.#text[this.#at] === "\t") this.#at++;
  }

  #skipComment(): void {
    if (this.#text[this.#at] !== "#") return;
    const end = this.#text.indexOf("\n", this.#at);
    this.#at = end < 0 ? this.#text.length : end;
  }

  /** Space, comments and empty lines. */
  skipLines(): void {
    for (let before = -1; before !== this.#at; ) {
      before = this.#at;
      this.skipSpace();
      this.#skipComment();
      while (this.#text[this.#at] === "\n" || this.#text[this.#at] === "\r") this.#at++;
    }
  }

  /** Nothing but a comment may follow in the line. */
  endLine(): void {
    this.skipSpace();
    this.#skipComment();
    if (!this.isOver() && !this.take("\r\n") && !this.take("\n")) throw new Error("more");
  }

  take(sign: string): boolean {
    if (!this.#text.startsWith(sign, this.#at)) return false;
    this.#at += sign.length;
    return true;
  }

  expect(sign: string): void {
    this.skipSpace();
    if (!this.take(sign)) throw new Error("missing");
  }

  /** A key, or several with dots between them. */
  path(): readonly string[] {
    const steps: string[] = [];
    do {
      this.skipSpace();
      steps.push(this.#key());
      this.skipSpace();
    } while (this.take("."));
    return steps;
  }

  #key(): string {
    const sign = this.#text[this.#at];
    if (sign === '"' || sign === "'") return this.#line(sign);
    const bare = this.#match(/[\w-]+/y);
    if (bare === "") throw new Error("no key");
    return bare;
  }

  #match(pattern: RegExp): string {
    pattern.lastIndex = this.#at;
    const found = pattern.exec(this.#text)?.[0] ?? "";
    this.#at += found.length;
    return found;
  }

  /** A text, a number, a truth, or a date, which stays a text. */
  plainValue(): unknown {
    for (const quote of ['"""', "'''"] as const)
      if (this.#text.startsWith(quote, this.#at)) return this.#lines(quote);
    const sign = this.#text[this.#at];
    if (sign === '"' || sign === "'") return this.#line(sign);
    const start = this.#at;
    const word = this.#match(/[^\s,\]}#]+(?: \d\d:\d\d[^\s,\]}#]*)?/y);
    if (word === "true" || word === "false") return word === "true";
    if (number.test(word)) return Number(word.replaceAll("_", "").replace(/^\+?inf$/, "Infinity"));
    if (date.test(word)) return word;
    this.#at = start;
    throw new Error("no value");
  }

  #line(quote: '"' | "'"): string {
    this.#at++;
    let text = "";
    for (;;) {
      const sign = this.#text[this.#at];
      if (sign === undefined || sign === "\n") throw new Error("open");
      this.#at++;
      if (sign === quote) return text;
      text += quote === '"' && sign === "\\" ? this.#escape() : sign;
    }
  }

  #lines(quote: '"""' | "'''"): string {
    this.#at += 3;
    if (!this.take("\r\n")) this.take("\n");
    let text = "";
    for (;;) {
      if (this.isOver()) throw new Error("open");
      if (this.take(quote)) {
        // Up to two quotes may stand before the closing ones.
        for (let more = 0; more < 2 && this.#text[this.#at] === quote[0]; more++)
          text += this.#text[this.#at++];
        return text;
      }
      const sign = this.#text[this.#at++]!;
      if (quote === "'''" || sign !== "\\") text += sign;
      else if (this.#match(/[ \t]*\r?\n\s*/y) === "") text += this.#escape();
    }
  }

  #escape(): string {
    const sign = this.#text[this.#at++] ?? "";
    const plain = escapes[sign];
    if (plain !== undefined) return plain;
    const digits = sign === "u" ? 4 : sign === "U" ? 8 : 0;
    const code = this.#text.slice(this.#at, this.#at + digits);
    if (digits === 0 || !/^[\da-fA-F]+$/.test(code) || code.length !== digits) throw new Error("escape");
    this.#at += digits;
    return String.fromCodePoint(Number.parseInt(code, 16));
  }
}
