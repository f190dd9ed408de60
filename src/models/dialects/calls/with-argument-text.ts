import { rewriteSlices, type SlicePaths } from "../../../base/json/raw-slices.ts";
import { readJson } from "../../../base/json/read-json.ts";
import { ModelError } from "../../../types/errors.ts";

/**
 * A reply's text in which arguments that were sent as objects are the text of those objects, so that whoever parses
 * it, such as a vendor's SDK, changes nothing in them. Throws a ModelError where a key on the way to arguments comes
 * twice: nobody could say which call is meant.
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

/** Text stays text, and an empty object may still be followed by text. A bare number is left alone if it is exact. */
const toArgumentText = (slice: string): string => {
  if (slice.startsWith("{")) return emptyObject.test(slice) ? slice : JSON.stringify(slice);
  return /^[-\d]/.test(slice) && !readJson(slice).ok ? JSON.stringify(slice) : slice;
};
