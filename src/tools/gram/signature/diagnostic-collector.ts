import type { Position } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";

const startPosition: Position = { line: 1, column: 1, offset: 0 };

export class DiagnosticCollector {
  readonly list: Diagnostic[] = [];

  /** `message` has no full stop. */
  add(code: string, at: Position | undefined, message: string, hint: string): void {
    const { line, column, offset } = at ?? startPosition;
    this.list.push(Object.freeze({ code, line, column, offset, message: `${message}.`, hint }));
  }
}
