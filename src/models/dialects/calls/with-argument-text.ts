import { rewriteSlices, type SlicePaths } from "../../../base/json/raw-slices.ts";
import { readJson } from "../../../base/json/read-json.ts";
import { ModelError } from "../../../types/errors.ts";

/**
 * Keeps the exact text of argument objects. Throws a ModelError for duplicate keys around a call, which make
 * it ambiguous.
 */
export const withArgumentText = (text: string, paths: SlicePaths | undefined): string => {
  if (paths === undefined) return text;
  const { text: kept, repeatedKey } = rewriteSlices(text, paths, toArgumentText);
  if (repeatedKey === undefined) return kept;
  const key = JSON.stringify(repeatedKey.slice(0, 40));
  throw new ModelError(
    "model_unreadable",
    `The provider's answer cannot be read: an object around a tool call has the key ${key} twice.`,
  );
};

const emptyObject = /^\{\s*\}$/;

/** An empty object stays, because text may follow. */
const toArgumentText = (slice: string): string => {
  if (slice.startsWith("{")) return emptyObject.test(slice) ? slice : JSON.stringify(slice);
  return /^[-\d]/.test(slice) && !readJson(slice).ok ? JSON.stringify(slice) : slice;
};
