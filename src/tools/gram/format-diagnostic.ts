import { headOf, tailOf } from "../../base/text/cut-text.ts";
import { displayWidth } from "../../base/text/display-width.ts";
import { visible } from "../../base/text/visible.ts";
import type { Position } from "./document.ts";

/** A problem at one position of a text, and how to fix it. */
export interface Diagnostic extends Position {
  /** A stable kebab-case code. */
  readonly code: string;
  /** What was expected and what was found, as a sentence. */
  readonly message: string;
  /** What to write instead. */
  readonly hint?: string;
}

const maxLineLength = 100;

/** Formats a diagnostic with its line and a caret; long lines are cut around the position. */
export const formatDiagnostic = (text: string, diagnostic: Diagnostic): string => {
  const { line, column, offset, message, hint } = diagnostic;
  const begin = Math.max(offset - column + 1, 0);
  const next = text.indexOf("\n", begin);
  const whole = text.slice(begin, next < 0 ? text.length : next).replace(/\r$/, "");
  const rest = column > maxLineLength ? tailOf(whole, whole.length - column + maxLineLength / 2) : whole;
  const from = whole.length - rest.length;
  const shown = headOf(rest, maxLineLength);
  const cut = (from > 0 ? "…" : "") + visible(shown) + (from + shown.length < whole.length ? "…" : "");
  // Tabs keep the caret aligned whatever their width.
  const before = shown
    .slice(0, column - 1 - from)
    .replace(/[^\t]+/g, (part) => " ".repeat(displayWidth(visible(part))));
  const pad = (from > 0 ? " " : "") + before;
  const gutter = String(line);
  const rows = [
    `${line}:${column} ${message}`,
    `  ${gutter} | ${cut}`,
    `  ${" ".repeat(gutter.length)} | ${pad}^`,
  ];
  return (hint === undefined ? rows : [...rows, `  ${" ".repeat(gutter.length)} = ${hint}`]).join("\n");
};

const startPosition: Position = { line: 1, column: 1, offset: 0 };

export class DiagnosticCollector {
  readonly list: Diagnostic[] = [];

  /** `message` has no full stop. */
  add(code: string, at: Position | undefined, message: string, hint: string): void {
    const { line, column, offset } = at ?? startPosition;
    this.list.push(Object.freeze({ code, line, column, offset, message: `${message}.`, hint }));
  }
}
