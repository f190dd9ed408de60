import { readJson } from "./read-json.ts";

const quote = 34;
const backslash = 92;
const comma = 44;
const colon = 58;
const letterU = 117;
const blanks: ReadonlySet<number> = new Set([32, 10, 13, 9]);
const closerOf: ReadonlyMap<number, "}" | "]"> = new Map([
  [123, "}"],
  [91, "]"],
]);
const closers: ReadonlySet<number> = new Set([125, 93]);

/** Keeps the total cost linear. */
const rereadGrowth = 1 / 32;

type ScanState = "between" | "key" | "text" | "word";

/**
 * Parses JSON that is still streaming. Open strings, arrays and objects are closed; incomplete numbers,
 * literals and keys are omitted.
 */
export class PartialJson {
  /** Joining on every push would copy the text each time. */
  #pieces: string[] = [];
  #length = 0;
  #inside: ScanState = "between";
  /** Remaining characters of an escape. */
  #escape = 0;
  readonly #open: ("}" | "]")[] = [];
  #isKeyNext = false;
  /** Up to here, the text plus its closing brackets is valid JSON. */
  #end = 0;
  #isOver = false;
  #lengthRead = 0;

  /** Returns undefined if the text has hardly grown since the last parse. */
  push(text: string): unknown {
    if (this.#isOver) return undefined;
    this.#pieces.push(text);
    for (let at = 0; at < text.length && !this.#isOver; at += 1) {
      this.#scan(text.charCodeAt(at), this.#length + at);
    }
    this.#length += text.length;
    const grown = this.#end - this.#lengthRead;
    if (this.#end === 0 || grown <= this.#lengthRead * rereadGrowth) return undefined;
    this.#lengthRead = this.#end;
    const close = (this.#inside === "text" ? '"' : "") + this.#open.toReversed().join("");
    this.#pieces = [this.#pieces.join("")];
    const reading = readJson(this.#pieces[0]!.slice(0, this.#end) + close);
    return reading.ok ? reading.value : undefined;
  }

  #scan(code: number, at: number): void {
    if (this.#inside === "key" || this.#inside === "text") this.#scanString(code, at);
    else if (this.#inside === "word" && !isDelimiter(code)) return;
    else this.#scanStructure(code, at);
  }

  #scanString(code: number, at: number): void {
    if (this.#escape > 0) {
      // A \u escape has four more characters.
      this.#escape = this.#escape === 5 ? (code === letterU ? 4 : 0) : this.#escape - 1;
    } else if (code === backslash) this.#escape = 5;
    else if (code === quote) {
      const isValue = this.#inside === "text";
      this.#inside = "between";
      if (isValue) this.#end = at + 1;
      return;
    }
    if (this.#inside === "text" && this.#escape === 0) this.#end = at + 1;
  }

  #scanStructure(code: number, at: number): void {
    if (this.#inside === "word") {
      this.#inside = "between";
      this.#end = at;
    }
    if (blanks.has(code)) return;
    const closer = closerOf.get(code);
    if (closer !== undefined) {
      this.#open.push(closer);
      this.#isKeyNext = closer === "}";
      this.#end = at + 1;
    } else if (this.#open.length === 0) this.#isOver = true;
    else if (closers.has(code)) {
      this.#open.pop();
      this.#end = at + 1;
      this.#isOver = this.#open.length === 0;
    } else if (code === comma) this.#isKeyNext = this.#open.at(-1) === "}";
    else if (code === colon) this.#isKeyNext = false;
    else if (code === quote) {
      this.#inside = this.#isKeyNext ? "key" : "text";
      if (!this.#isKeyNext) this.#end = at + 1;
    } else this.#inside = "word";
  }
}

const isDelimiter = (code: number): boolean => code === comma || blanks.has(code) || closers.has(code);
