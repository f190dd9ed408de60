import { copyJson } from "../../../base/json/copy-json.ts";
import type { JsonReading } from "../../../base/json/json-problem.ts";
import { readJson } from "../../../base/json/read-json.ts";

/** Schemas have limits of their own, and are longer on lines of their own. */
export const schemaJsonLimits = { maxLength: 64 * 1024 * 1024, maxDepth: 300 };

/**
 * Strict JSON, or what `JSON.stringify` writes: the strict reader doubts the digits of very large numbers, and here
 * they are beyond doubt when writing the value again gives the same text.
 */
export const readWrittenJson = (text: string): JsonReading => {
  const reading = readJson(text, schemaJsonLimits);
  if (reading.ok) return reading;
  try {
    const value: unknown = JSON.parse(text);
    const copy = copyJson(value, schemaJsonLimits);
    if (copy.ok && isStringifyOutput(text, value)) return copy;
  } catch {
    // The strict reader has said what is wrong.
  }
  return reading;
};

const isStringifyOutput = (text: string, value: unknown): boolean =>
  [0, 2].some((indent) => normalizedText(JSON.stringify(value, null, indent)) === normalizedText(text));

const normalizedText = (text: string): string => text.replaceAll("\\u0060", "`").trim();
