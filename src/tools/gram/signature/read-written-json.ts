import { copyJson } from "../../json/copy-json.ts";
import type { JsonReading } from "../../json/problem.ts";
import { readJson } from "../../json/read-json.ts";

/** Schemas have limits of their own, and are longer on lines of their own. */
export const limits = { maxLength: 64 * 1024 * 1024, maxDepth: 300 };

/**
 * Strict JSON, or what `JSON.stringify` writes: the strict reader doubts the digits of very large numbers, and here
 * they are beyond doubt when writing the value again gives the same text.
 */
export const readWrittenJson = (text: string): JsonReading => {
  const reading = readJson(text, limits);
  if (reading.ok) return reading;
  try {
    const value: unknown = JSON.parse(text);
    const copy = copyJson(value, limits);
    if (copy.ok && isWritten(text, value)) return copy;
  } catch {
    // The strict reader has said what is wrong.
  }
  return reading;
};

const isWritten = (text: string, value: unknown): boolean =>
  [0, 2].some((indent) => plain(JSON.stringify(value, null, indent)) === plain(text));

const plain = (text: string): string => text.replaceAll("\\u0060", "`").trim();
