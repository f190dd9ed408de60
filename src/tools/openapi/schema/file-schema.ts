import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { dereference } from "./composed.ts";
import { boundedText } from "./keywords.ts";

const maxFileDepth = 8;

export const isFileField = (root: JsonObject, schema: unknown): boolean => {
  let found = dereference(root, schema);
  // A list may contain itself.
  for (let depth = 0; found?.type === "array" && depth < maxFileDepth; depth++)
    found = isObject(found.items) ? dereference(root, found.items) : undefined;
  if (found === undefined) return false;
  if (found.type === "file" || found.format === "binary") return true;
  return typeof found.contentMediaType === "string" && found.contentEncoding === undefined;
};

const base64 = { type: "string", contentEncoding: "base64", pattern: "^[A-Za-z0-9+/]*={0,2}$" } as const;

export const fileSchema = (root: JsonObject, schema: unknown): JsonSchema => {
  const found = dereference(root, schema) ?? {};
  const said = boundedText(found.description);
  const description = [said, "The bytes of the file in base64."]
    .filter((each) => each !== undefined)
    .join(" ");
  if (found.type !== "array") return { ...base64, description };
  const { minItems, maxItems } = found;
  return {
    type: "array",
    items: base64,
    ...(Number.isInteger(minItems) ? { minItems } : {}),
    ...(Number.isInteger(maxItems) ? { maxItems } : {}),
    description,
  };
};
