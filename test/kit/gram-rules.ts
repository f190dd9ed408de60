/**
 * The result of checking a gram text by the published rules of the notation: its texts in order, or the first
 * violation.
 */
export type RuleCheckResult =
  | { readonly ok: true; readonly texts: readonly string[] }
  | { readonly ok: false; readonly offset: number; readonly message: string };

/**
 * Checks a text by the token and grammar rules of the reference parser, without our code. As there, the
 * longest token wins: directly after an opening quote or fence that may be a comment, which then consumes the
 * end of the text.
 */
export const checkByRules = (text: string): RuleCheckResult => {
  const rules = new GramRules(text);
  try {
    rules.document();
    return { ok: true, texts: rules.texts };
  } catch (error) {
    if (!(error instanceof GramRuleError)) throw error;
    return { ok: false, offset: rules.offset, message: error.message };
  }
};

class GramRuleError extends Error {}

const symbol = /[A-Za-z_][0-9A-Za-z_.@-]*/y;
const integer = /-?(?:0|[1-9][0-9]*)/y;
const numbers = [
  integer,
  /-?(?:0|[1-9][0-9]*)\.[0-9]+/y,
  /0x[0-9A-Fa-f]+/y,
  /0[0-7]+/y,
  /-?(?:0|[1-9][0-9]*)[A-Za-z]+/y,
];
const extras = /(?:[\t-\r ]|\/\/[^\n]*)*/y;
const comment = /[\t-\r ]*\/\/[^\n]*/y;
const fenceLine = /[\t\v\f\r ]*\n+/y;
const fenceContent = /(?:[^`]|`[^`]|``[^`])+/y;
const quotedText = {
  '"': /(?:\\["bfnrt/\\]|[^"\\\n])*/y,
  "'": /(?:\\['bfnrt/\\]|[^'\\\n])*/y,
  "`": /(?:\\[`bfnrt/\\]|[^`\\\n])*/y,
};
const meanings: Readonly<Record<string, string>> = { b: "\b", f: "\f", n: "\n", r: "\r", t: "\t" };

class GramRules {
  readonly texts: string[] = [];
  offset = 0;
  private readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  document(): void {
    if (this.next() === "{") this.record(true);
    while (this.next() !== "") this.top();
  }

  private top(): void {
    if (this.next() === "@") this.annotations();
    if (this.next() === "[") this.bracket();
    else this.path();
  }

  private annotations(): void {
    if (this.accept("@@")) {
      const named = this.identity();
      if (!this.labels() && !named) this.refuse("an annotation that names something");
    }
    while (this.accept("@")) {
      this.texts.push(this.take(symbol, "a key"));
      this.expect("(");
      this.value(true);
      this.expect(")");
    }
  }

  private bracket(): void {
    this.expect("[");
    this.subject();
    if (this.accept("|")) {
      do this.element();
      while (this.accept(","));
    }
    this.expect("]");
  }

  private element(): void {
    const next = this.next();
    if (next === "[") this.bracket();
    else if (next === "(") this.path();
    else if (!this.identity()) this.refuse("an element");
  }

  private path(): void {
    this.node();
    while (/[-=~<]/.test(this.next())) {
      this.arrow();
      this.node();
    }
  }

  private node(): void {
    this.expect("(");
    this.subject();
    this.expect(")");
  }

  private arrow(): void {
    const family = this.take(/<?[-=~]/y, "an arrow").slice(-1);
    if (this.accept("[")) {
      this.subject();
      this.expect("]");
    }
    this.expect(family);
    if (this.text[this.offset] === ">") this.offset++;
  }

  private subject(): void {
    this.identity();
    this.labels();
    if (this.next() === "{") this.record(true);
  }

  private identity(): boolean {
    const next = this.next();
    if (next === "`") this.quoted();
    else if (/[A-Za-z_]/.test(next)) this.texts.push(this.take(symbol, "a symbol"));
    else if (/[-0-9]/.test(next)) this.texts.push(this.take(integer, "an integer"));
    else return false;
    return true;
  }

  private labels(): boolean {
    let found = false;
    while (this.accept("::") || this.accept(":")) {
      found = true;
      if (this.next() === "`") this.quoted();
      else this.texts.push(this.take(symbol, "a label"));
    }
    return found;
  }

  /** A record, or a map with plain values. */
  private record(isRecord: boolean): void {
    this.expect("{");
    if (this.accept("}")) return;
    do {
      if (this.next() === '"' || this.next() === "`") this.quoted();
      else this.texts.push(this.take(symbol, "a key"));
      if (!(isRecord && this.accept("::"))) this.expect(":");
      this.value(isRecord);
    } while (this.accept(","));
    this.expect("}");
  }

  private value(mayNest: boolean): void {
    const next = this.next();
    if (mayNest && next === "{") this.record(false);
    else if (mayNest && next === "[") this.array();
    else if (this.text.startsWith("```", this.offset)) this.fence();
    else if (next === '"' || next === "'" || next === "`") this.quoted();
    else if (/[A-Za-z_]/.test(next)) this.word();
    else this.range();
  }

  private array(): void {
    this.expect("[");
    do this.value(false);
    while (this.accept(","));
    this.expect("]");
  }

  private word(): void {
    this.texts.push(this.take(symbol, "a symbol"));
    if (this.next() === "`") this.quoted();
  }

  private range(): void {
    if (this.accept("...")) this.number();
    else {
      this.number();
      if (!this.accept("...") && this.accept("..")) this.number();
    }
  }

  private number(): void {
    this.next();
    const longest = numbers.map((each) => this.match(each)).reduce((a, b) => (b.length > a.length ? b : a));
    if (longest === "") this.refuse("a value");
    this.texts.push(longest);
    this.offset += longest.length;
  }

  private quoted(): void {
    const quote = this.text[this.offset++] as keyof typeof quotedText;
    const content = this.content(quotedText[quote]);
    this.texts.push(content.replace(/\\(.)/g, (_, letter: string) => meanings[letter] ?? letter));
    if (this.text[this.offset] !== quote) this.refuse(`${quote} that ends the text`);
    this.offset++;
  }

  /** The line break after the tag is one token with the line breaks that directly follow it. */
  private fence(): void {
    this.offset += 3;
    const tag = this.match(/[\t-\r ]*[A-Za-z_][0-9A-Za-z_.@-]*/y);
    if (tag !== "" && !tag.includes("\n")) {
      this.texts.push(tag.trim());
      this.offset += tag.length;
    }
    this.offset += this.found(fenceLine, "a line break").length;
    this.texts.push(this.text.startsWith("```", this.offset) ? "" : this.content(fenceContent));
    if (!this.text.startsWith("```", this.offset)) this.refuse("three backticks");
    this.offset += 3;
  }

  private content(rule: RegExp): string {
    const content = this.match(rule);
    if (this.match(comment).length > content.length) this.refuse("a text, which is read as a comment here,");
    this.offset += content.length;
    return content;
  }

  private take(rule: RegExp, what: string): string {
    this.next();
    const found = this.found(rule, what);
    this.offset += found.length;
    return found;
  }

  private found(rule: RegExp, what: string): string {
    return this.match(rule) || this.refuse(what);
  }

  private match(rule: RegExp): string {
    rule.lastIndex = this.offset;
    return rule.exec(this.text)?.[0] ?? "";
  }

  /** Moves to the next token and returns its first character, or an empty text at the end. */
  private next(): string {
    this.offset += this.match(extras).length;
    return this.text[this.offset] ?? "";
  }

  private accept(sign: string): boolean {
    this.next();
    if (!this.text.startsWith(sign, this.offset)) return false;
    this.offset += sign.length;
    return true;
  }

  private expect(sign: string): void {
    if (!this.accept(sign)) this.refuse(sign);
  }

  private refuse(what: string): never {
    throw new GramRuleError(
      `Expected ${what}, found ${JSON.stringify(this.text.slice(this.offset, this.offset + 30))}`,
    );
  }
}
