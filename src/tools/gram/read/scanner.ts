import { shorten } from "../../../base/text/cut-text.ts";
import {
  charCodes,
  isInvisible,
  isSpace,
  isSymbolPart,
  isSymbolStart,
  maxDiagnostics,
} from "../characters.ts";
import type { Comment, Comments, Node, Position } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";

export class ItemSyntaxError extends Error {}

/** One pass. `skip` moves to the next token and collects comments for their node. */
export class Scanner {
  readonly text: string;
  readonly keepDuplicates: boolean;
  readonly diagnostics: Diagnostic[] = [];
  offset = 0;
  line = 1;
  lineStart = 0;
  depth = 0;
  /** Line breaks before the next token. */
  breaks = 0;
  private endLine = 1;
  private skippedTo = -1;
  private begun = false;
  private pending: Comment[] = [];

  constructor(text: string, keepDuplicates: boolean) {
    this.text = text;
    this.keepDuplicates = keepDuplicates;
    // Editors do not count a byte order mark as a column.
    if (text.charCodeAt(0) === 0xfeff) this.offset = this.lineStart = 1;
  }

  codeAt(offset: number): number {
    return offset < this.text.length ? this.text.charCodeAt(offset) : -1;
  }

  position(): Position {
    return { line: this.line, column: this.offset - this.lineStart + 1, offset: this.offset };
  }

  /** The next token's first character code, or -1 at the end. Idempotent. */
  skip(): number {
    if (this.offset !== this.skippedTo) {
      this.endLine = this.line;
      this.breaks = 0;
      this.pass();
      this.skippedTo = this.offset;
    }
    return this.codeAt(this.offset);
  }

  private pass(): void {
    for (;;) {
      const code = this.codeAt(this.offset);
      if (code === 10) {
        this.offset++;
        this.newLine();
      } else if (isSpace(code)) this.offset++;
      else if (code === charCodes.slash && this.codeAt(this.offset + 1) === charCodes.slash) this.comment();
      else if (code === charCodes.hash || code === charCodes.slash) {
        if (!this.foreignComment(code)) return;
      } else {
        this.begun = true;
        return;
      }
    }
  }

  private newLine(): void {
    this.line++;
    this.lineStart = this.offset;
    this.breaks++;
  }

  private comment(): void {
    const at = this.position();
    const end = this.lineEnd();
    const text = this.text.slice(this.offset + 2, end).trimEnd();
    this.pending.push(this.breaks > 1 && this.begun ? { text, apart: true, at } : { text, at });
    this.begun = true;
    this.breaks = 0;
    this.offset = end;
  }

  private lineEnd(): number {
    let end = this.offset;
    for (let code = this.codeAt(end); code !== 10 && code !== 13 && code !== -1; code = this.codeAt(end))
      end++;
    return end;
  }

  private foreignComment(code: number): boolean {
    if (code === charCodes.hash) {
      const next = this.codeAt(this.offset + 1);
      if (next !== 32 && next !== 33 && next !== charCodes.hash && next !== -1 && next !== 10) return false;
      this.report("hash-comment", "Expected gram, found `#`.", "Comments begin with `//`.");
      this.offset = this.lineEnd();
      return true;
    }
    if (this.codeAt(this.offset + 1) !== charCodes.star) return false;
    this.report("block-comment", "Expected gram, found `/*`.", "Write `//` before each line of the comment.");
    const end = this.text.indexOf("*/", this.offset + 2);
    this.advance(end < 0 ? this.text.length : end + 2);
    return true;
  }

  /** Counts the lines passed. */
  advance(offset: number): void {
    for (
      let at = this.text.indexOf("\n", this.offset);
      at >= 0 && at < offset;
      at = this.text.indexOf("\n", at + 1)
    ) {
      this.line++;
      this.lineStart = at + 1;
    }
    this.offset = offset;
  }

  takeComments(): readonly Comment[] | undefined {
    if (this.pending.length === 0) return undefined;
    const taken = this.pending;
    this.pending = [];
    return taken;
  }

  /** On the line where the last token ended. */
  takeAfter(): Comment | undefined {
    if (this.pending.length === 0) return undefined;
    const index = this.pending.findIndex((each) => each.at?.line === this.endLine);
    return index < 0 ? undefined : this.pending.splice(index, 1)[0];
  }

  /** For a hint when the character seems missing. */
  hiddenInComment(character: string): boolean {
    return this.pending.some((each) => each.text.includes(character));
  }

  dropComments(): void {
    this.pending = [];
    this.skippedTo = -1;
  }

  report(code: string, message: string, hint?: string, at: Position = this.position()): void {
    this.diagnostics.push(hint === undefined ? { ...at, code, message } : { ...at, code, message, hint });
    if (this.diagnostics.length >= maxDiagnostics) throw new ItemSyntaxError();
  }

  fail(code: string, message: string, hint?: string, at?: Position): never {
    this.report(code, message, hint, at);
    throw new ItemSyntaxError();
  }

  found(): string {
    const code = this.codeAt(this.offset);
    if (code < 0) return "the end of the text";
    if (code === charCodes.quote || code === charCodes.apostrophe) return "a quoted string";
    if (code === charCodes.backtick) return "a backtick";
    if (code === charCodes.minus || isSymbolStart(code) || isSymbolPart(code)) return `\`${this.word()}\``;
    const character = String.fromCodePoint(this.text.codePointAt(this.offset)!);
    return isInvisible(character)
      ? `the invisible character U+${code.toString(16).toUpperCase().padStart(4, "0")}`
      : `\`${character}\``;
  }

  word(most = 40): string {
    let end = this.offset;
    while (end - this.offset < most && isSymbolPart(this.codeAt(end))) end++;
    return this.text.slice(this.offset, end) + (isSymbolPart(this.codeAt(end)) ? "…" : "");
  }
}

export const excerptOf = (text: string): string => shorten(text, 40);

/** Undefined for ASCII. */
export const foreignHint = (scanner: Scanner, quoting: string): string | undefined => {
  const code = scanner.codeAt(scanner.offset);
  if (code >= 0x2018 && code <= 0x201f) return "Write straight quotes.";
  if (code < 128) return undefined;
  return isInvisible(String.fromCharCode(code)) ? "Write a plain space, or nothing." : quoting;
};

export const attachComments = <T extends Node>(
  node: T,
  before: readonly Comment[] | undefined,
  after: Comment | undefined,
): T => {
  if (before === undefined && after === undefined) return node;
  const first = [...(before ?? []), ...(node.comments?.before ?? [])];
  const comments: Comments = {
    ...node.comments,
    ...(first.length === 0 ? {} : { before: first }),
    ...(after === undefined ? {} : { after }),
  };
  return { ...node, comments };
};
