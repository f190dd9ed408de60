import { createRequire } from "node:module";
import { isObject, type JsonObject } from "../../../../src/base/json/json-value.ts";
import type { RecordedToolCall } from "../../../kit/openapi/recorded-requests.ts";

interface PrismOperation {
  readonly method: string;
  readonly path: string;
}

interface PrismDiagnostic {
  readonly message: string;
  readonly severity: number;
  readonly path?: readonly string[];
}

interface PrismValidator {
  readonly validateInput: (given: {
    readonly resource: PrismOperation;
    readonly element: unknown;
  }) => { readonly _tag: "Left"; readonly left: readonly PrismDiagnostic[] } | { readonly _tag: "Right" };
}

/** Prism's own parser and request validator, which do not use code of this project. */
export const prismFor = async (
  document: JsonObject,
): Promise<(call: RecordedToolCall) => string | undefined> => {
  const load = createRequire(import.meta.url);
  const { getHttpOperationsFromSpec } = load("@stoplight/prism-http/dist/utils/operations.js") as {
    readonly getHttpOperationsFromSpec: (document: unknown) => Promise<readonly PrismOperation[]>;
  };
  const { validateInput } = load("@stoplight/prism-http/dist/validator/index.js") as PrismValidator;
  const operations = await getHttpOperationsFromSpec(normalizeForPrism(structuredClone(document)));
  const known = new Map(operations.map((each) => [`${each.method.toUpperCase()} ${each.path}`, each]));
  return ({ operation, request }) => {
    const resource = known.get(operation);
    if (resource === undefined || request === undefined) return "Prism does not know the operation";
    const result = tryValidate(() => validateInput({ resource, element: toElement(request) }));
    if (typeof result === "string") return result;
    if (result._tag === "Right") return undefined;
    const errors = result.left.filter((each) => isRealFault(each, request));
    return errors.length === 0
      ? undefined
      : errors.map(({ message, path }) => `${path?.join(".") ?? ""}: ${message}`).join("; ");
  };
};

/** Prism throws for an array in a path. */
const tryValidate = <A>(judge: () => A): A | string => {
  try {
    return judge();
  } catch (error) {
    return `Prism cannot judge it: ${(error as Error).message}`;
  }
};

/**
 * Warnings such as a deprecated parameter are not errors. Neither are two bugs of Prism: an array outside a
 * form is an empty text to it, and it expects percent encoding in multipart bodies.
 */
const isRealFault = (
  { severity, message, path = [] }: PrismDiagnostic,
  { headers, body }: NonNullable<RecordedToolCall["request"]>,
): boolean => {
  if (severity !== 0) return false;
  const type = headers["content-type"] ?? "";
  if (type.startsWith("multipart/") && message.startsWith("Reserved characters")) return false;
  const isForm =
    path.length === 2 && path[0] === "body" && type.startsWith("application/x-www-form-urlencoded");
  return !(isForm && message.endsWith("must be array") && !new URLSearchParams(body).has(path[1]!));
};

/** Converts a request as Prism's server does: JSON is parsed, everything else is text. */
const toElement = ({ method, url, headers, body }: NonNullable<RecordedToolCall["request"]>): unknown => {
  const { pathname, searchParams } = new URL(url, "http://127.0.0.1");
  const query: Record<string, string | string[]> = {};
  for (const name of new Set(searchParams.keys())) {
    const values = searchParams.getAll(name);
    query[name] = values.length > 1 ? values : values[0]!;
  }
  const isJson = /\bjson\b/i.test(headers["content-type"] ?? "");
  return {
    method: method.toLowerCase(),
    url: { path: pathname, query },
    headers,
    ...(body === "" ? {} : { body: isJson ? JSON.parse(body) : body }),
  };
};

/**
 * Adds defaults of the specification that Prism does not know: Swagger 2 arrays are comma-separated, and a
 * body without a media type is JSON.
 */
const normalizeForPrism = (document: Record<string, unknown>): unknown => {
  dropExternalRefs(document);
  stripDotNames(document);
  if (document.swagger === undefined) return document;
  document.consumes ??= ["application/json"];
  defaultToCsv(document.parameters);
  defaultToCsv(document.paths);
  return document;
};

/** In Prism's templates, `{.format}` is a variable called `format` with a leading dot. */
const stripDotNames = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  const parameter = value as Record<string, unknown>;
  if (parameter.in === "path" && typeof parameter.name === "string")
    parameter.name = parameter.name.replace(/^\./, "");
  for (const member of Object.values(value)) stripDotNames(member);
};

const defaultToCsv = (value: unknown): void => {
  if (typeof value !== "object" || value === null) return;
  const parameter = value as Record<string, unknown>;
  if (parameter.in === "formData" && parameter.type === "array") parameter.collectionFormat ??= "csv";
  for (const member of Object.values(value)) defaultToCsv(member);
};

/** Removes external references, which Prism would fetch. */
const dropExternalRefs = (value: unknown, seen = new Set<unknown>()): unknown => {
  if (typeof value !== "object" || value === null || seen.has(value)) return value;
  seen.add(value);
  if (isObject(value) && typeof value.$ref === "string" && !value.$ref.startsWith("#")) delete value.$ref;
  for (const member of Object.values(value)) dropExternalRefs(member, seen);
  return value;
};
