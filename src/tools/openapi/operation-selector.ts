import { checkFields } from "../../base/json/check-fields.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { OpenApiOperation } from "./operation.ts";

/**
 * Selects operations: all given fields must match, with any entry of each list. `*` matches any characters.
 */
export interface OpenApiSelection {
  readonly tags?: readonly string[];
  /** Such as `/pets*`. */
  readonly paths?: readonly string[];
  /** Such as `GET`. */
  readonly methods?: readonly string[];
  /** By `operationId`, such as `list*`. */
  readonly operations?: readonly string[];
}

/** Selects operations by patterns or by a function. */
export type OpenApiSelect = OpenApiSelection | ((operation: OpenApiOperation) => boolean);

export const operationSelector = (
  select: OpenApiSelect | undefined,
): ((operation: OpenApiOperation) => boolean) => {
  if (select === undefined) return () => true;
  if (typeof select === "function") return select;
  checkFields("`select` of an OpenAPI document", select, ["tags", "paths", "methods", "operations"]);
  for (const [field, list] of Object.entries(select)) {
    if (Array.isArray(list) && list.every((each) => typeof each === "string")) continue;
    throw new ConfigurationError("invalid_config", `\`select.${field}\` must be a list of strings.`);
  }
  const { tags, paths, methods, operations } = select;
  const inTags = matcher(tags);
  const inPaths = matcher(paths);
  const inMethods = matcher(methods?.map((method) => method.toUpperCase()));
  const inOperations = matcher(operations);
  return ({ id = "", method, path, tags: own }) =>
    (tags === undefined || own.some(inTags)) && inPaths(path) && inMethods(method) && inOperations(id);
};

const matcher = (patterns: readonly string[] | undefined): ((text: string) => boolean) => {
  if (patterns === undefined) return () => true;
  return (text) => patterns.some((pattern) => matchesPieces(pattern.split("*"), text));
};

/** The first piece is a prefix, the last a suffix. */
const matchesPieces = (pieces: readonly string[], text: string): boolean => {
  const [first = "", ...rest] = pieces;
  const last = rest.pop();
  if (last === undefined) return text === first;
  if (!text.startsWith(first)) return false;
  let at = first.length;
  for (const piece of rest) {
    const found = text.indexOf(piece, at);
    if (found < 0) return false;
    at = found + piece.length;
  }
  return text.length - last.length >= at && text.endsWith(last);
};
