import { copyJson } from "../../../base/json/copy-json.ts";
import type { JsonReading } from "../../../base/json/json-problem.ts";
import { readJson } from "../../../base/json/read-json.ts";

/** Schemas may be larger than other JSON. */
export const schemaJsonLimits = { maxLength: 64 * 1024 * 1024, maxDepth: 300 };

/** Also accepts the output of `JSON.stringify`, whose large numbers the strict reader refuses. */
export const readWrittenJson = (text: string): JsonReading => {
  const reading = readJson(text, schemaJsonLimits);
  if (reading.ok) return reading;
  try {
    const value: unknown = JSON.parse(text);
    const copy = copyJson(value, schemaJsonLimits);
    if (copy.ok && isStringifyOutput(text, value)) return copy;
  } catch {}
  return reading;
};

const isStringifyOutput = (text: string, value: unknown): boolean =>
  [0, 2].some((indent) => normalizedText(JSON.stringify(value, null, indent)) === normalizedText(text));

const normalizedText = (text: string): string => text.replaceAll("\\u0060", "`").trim();
