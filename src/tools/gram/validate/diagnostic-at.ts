import type { Position } from "../document.ts";
import type { Diagnostic } from "../format-diagnostic.ts";

const startPosition: Position = { line: 1, column: 1, offset: 0 };

/** Generated nodes have no position. */
export const diagnosticAt = (
  at: Position | undefined,
  code: string,
  message: string,
  hint: string,
): Diagnostic => ({ ...(at ?? startPosition), code, message, hint });
