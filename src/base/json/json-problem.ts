import { shorten } from "../text/cut-text.ts";
import { toPointer } from "./json-value.ts";

/** Why a text or a value is not strict JSON, worded for a model. */
export interface JsonProblem {
  /** A complete sentence that includes the location. */
  readonly message: string;
  /** Offset in the text, from 0. For a value in memory it is -1, and line and column are 0. */
  readonly position: number;
  readonly line: number;
  readonly column: number;
  /** JSON pointer to the value; very long keys in it are shortened. */
  readonly pointer: string;
}

export type JsonReading =
  | { readonly ok: true; readonly value: unknown }
  | { readonly ok: false; readonly problem: JsonProblem };

export const quoteShort = (text: string): string => JSON.stringify(shorten(text, 40));

const pointerOf = (path: readonly (string | number)[]): string =>
  toPointer(path.map((step) => (typeof step === "number" ? step : shorten(step, 120))));

/** `what` is a sentence without its full stop. */
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

export const valueProblem = (path: readonly (string | number)[], what: string): JsonProblem => {
  const pointer = pointerOf(path);
  const where = pointer === "" ? "" : ` (at ${pointer})`;
  return { message: `${what}${where}.`, position: -1, line: 0, column: 0, pointer };
};

export interface JsonLimits {
  /** In UTF-16 code units, as `text.length` counts. */
  readonly maxLength?: number;
  /** Nesting depth of arrays and objects; `[]` has depth 1. At most 1,000. */
  readonly maxDepth?: number;
}

export const defaultMaxLength = 1_048_576;
const defaultMaxDepth = 64;

/** The walks recurse, and this many frames fit on the stack. */
export const maxJsonDepth = 1_000;

export const maxLengthOf = (limits?: JsonLimits): number => limits?.maxLength ?? defaultMaxLength;

export const maxDepthOf = (limits?: JsonLimits): number =>
  Math.min(limits?.maxDepth ?? defaultMaxDepth, maxJsonDepth);
