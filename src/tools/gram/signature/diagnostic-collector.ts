import type { Position } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";

const startPosition: Position = { line: 1, column: 1, offset: 0 };

/** Collects what is wrong, so that one reading says all of it. */
export class DiagnosticCollector {
  readonly list: Diagnostic[] = [];

  /** `message` is a sentence without its full stop. Parts that were made and not read stand at the start. */
  add(code: string, at: Position | undefined, message: string, hint: string): void {
    const { line, column, offset } = at ?? startPosition;
    this.list.push(Object.freeze({ code, line, column, offset, message: `${message}.`, hint }));
  }
}
