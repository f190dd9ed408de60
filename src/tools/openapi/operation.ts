import type { HttpMethod } from "../../base/http/http-egress.ts";
import { checkFields } from "../../base/json/check-fields.ts";
import { ConfigurationError } from "../../types/errors.ts";
import type { ParameterStyle } from "../http/styles.ts";
import { checkOverride, type OperationOverride } from "./describe-operation.ts";

/** An operation, as passed to selection and override functions. */
export interface OpenApiOperation {
  /** The document's `operationId`, if it has one. */
  readonly id?: string;
  readonly method: HttpMethod;
  /** As in the document, with `{names}`. */
  readonly path: string;
  readonly tags: readonly string[];
  readonly summary?: string;
  readonly deprecated: boolean;
}

/** Normalized to OpenAPI 3. */
export interface OpenApiParameter {
  readonly in: "path" | "query" | "header" | "cookie";
  readonly name: string;
  readonly required: boolean;
  readonly description?: string;
  /** Untrusted and not converted yet. */
  readonly schema: unknown;
  readonly pointer: string;
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved: boolean;
  readonly allowEmpty: boolean;
  readonly json: boolean;
  readonly example?: unknown;
}

export interface OpenApiMedia {
  readonly type: string;
  readonly schema: unknown;
  readonly encoding: Readonly<Record<string, unknown>>;
  readonly pointer: string;
}

export interface OpenApiBody {
  readonly required: boolean;
  readonly description?: string;
  readonly media: readonly OpenApiMedia[];
  readonly pointer: string;
}

export interface OpenApiResponse {
  /** Untrusted and not converted yet. */
  readonly schema: unknown;
  readonly pointer: string;
}

/** References are resolved; schemas are not converted. */
export interface ParsedOperation extends OpenApiOperation {
  readonly label: string;
  readonly pointer: string;
  readonly description?: string;
  readonly parameters: readonly OpenApiParameter[];
  readonly body?: OpenApiBody;
  readonly answers: readonly OpenApiResponse[];
  /** Alternatives. Undefined if none are required. */
  readonly security?: readonly (readonly string[])[];
  /** The first usable one is chosen. */
  readonly servers: readonly unknown[];
}

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

/** A part of an OpenAPI document that a tool does not carry, or carries differently. */
export interface OpenApiLoss {
  /** Method and path, such as `GET /pets/{id}`. Absent if the loss concerns the document. */
  readonly operation?: string;
  /** The location in the document, as a JSON pointer. */
  readonly pointer: string;
  readonly what: string;
}

export type ReportLoss = (pointer: string, what: string) => void;

/** A loss shared by several operations is reported once. */
export interface LossCollector {
  readonly note: (loss: OpenApiLoss) => void;
  readonly of: (operation: string) => ReportLoss;
  readonly all: () => readonly OpenApiLoss[];
}

export const lossCollector = (): LossCollector => {
  const found = new Map<string, OpenApiLoss>();
  const note = (loss: OpenApiLoss): void => {
    const key = `${loss.pointer} ${loss.what}`;
    if (!found.has(key)) found.set(key, Object.freeze(loss));
  };
  return {
    note,
    of: (operation) => (pointer, what) => note({ operation, pointer, what }),
    all: () => Object.freeze([...found.values()]),
  };
};

/** Overrides for operations, by unique `operationId`, by method and path, or as a function. */
export type OpenApiOverride =
  | Readonly<Record<string, OperationOverride>>
  | ((operation: OpenApiOperation) => OperationOverride | undefined);

/** Method and path take precedence over an id. A key that matches nothing is refused. */
export const overrideFinder = (
  operations: readonly ParsedOperation[],
  override: OpenApiOverride = {},
): ((operation: ParsedOperation) => OperationOverride) => {
  if (typeof override === "function")
    return (operation) => checkOverride(override(operation) ?? {}, operation.label);
  const keys = Object.keys(override);
  if (keys.length === 0) return () => ({});
  const labels = new Set(operations.map(({ label }) => label));
  const ids = Map.groupBy(operations, ({ id }) => id);
  for (const key of keys) if (!labels.has(key)) checkId(key, ids.get(key) ?? []);
  const at = (key: string, label: string): OperationOverride =>
    Object.hasOwn(override, key) ? checkOverride(override[key]!, label) : {};
  return ({ id, label }) => ({
    ...(id === undefined || labels.has(id) ? {} : at(id, label)),
    ...at(label, label),
  });
};

const checkId = (key: string, named: readonly ParsedOperation[]): void => {
  if (named.length === 1) return;
  const shown = JSON.stringify(key.slice(0, 200));
  const labels = named.slice(0, 3).map(({ label }) => JSON.stringify(label.slice(0, 200)));
  throw new ConfigurationError(
    "invalid_config",
    named.length === 0
      ? `\`override\` names ${shown}, but no operation of the document has this id, or this method and path.`
      : `\`override\` names ${shown}, which is the id of ${named.length} operations. Identify each by method and path: ${labels.join(", ")}.`,
  );
};
