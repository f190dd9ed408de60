import { shorten } from "../text/cut-text.ts";
import { toPointer } from "./to-pointer.ts";

/** Why a text or a value is not strict JSON, in words a language model can act on. */
export interface JsonProblem {
  /** Complete in itself: says where as well. */
  readonly message: string;
  /** Offset in the text, from 0. A value in memory has no text: then it is -1, and line and column are 0. */
  readonly position: number;
  readonly line: number;
  readonly column: number;
  /** JSON pointer of the value being read; very long keys in it are shortened. */
  readonly pointer: string;
}

export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: JsonProblem };

/** A stranger's words in a message of ours: quoted, on one line, and never so long that they become the message. */
export const quoteShort = (text: string): string => JSON.stringify(shorten(text, 40));

const pointerOf = (path: readonly (string | number)[]): string =>
  toPointer(path.map((step) => (typeof step === "number" ? step : shorten(step, 120))));

/** A problem at an offset of a text. `what` is a sentence without its full stop. */
export const textProblem = (
  text: string,
  position: number,
  path: readonly (string | number)[],
  what: string,
): JsonProblem => {
  let line = 1;
  let start = 0;
  for (let end = text.indexOf("\n"); end >= 0 && end < position; end = text.indexOf("\n", start)) {
    line++;
    start = end + 1;
  }
  const column = position - start + 1;
  const pointer = pointerOf(path);
  const where = `line ${line}, column ${column}${pointer === "" ? "" : `, at ${pointer}`}`;
  return { message: `${what} (${where}).`, position, line, column, pointer };
};

/** A problem of a value in memory. `what` is a sentence without its full stop. */
export const valueProblem = (path: readonly (string | number)[], what: string): JsonProblem => {
  const pointer = pointerOf(path);
  const where = pointer === "" ? "" : ` (at ${pointer})`;
  return { message: `${what}${where}.`, position: -1, line: 0, column: 0, pointer };
};
