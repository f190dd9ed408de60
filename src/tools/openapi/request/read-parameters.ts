import { isObject, type JsonObject } from "../../../base/json/json-value.ts";
import { isJsonType } from "../../http/encode-content.ts";
import type { ParameterStyle } from "../../http/styles.ts";
import type { OpenApiParameter, ReportLoss } from "../operation.ts";
import { followReferences, type OpenApiDocument } from "../read-document.ts";
import { smallJsonOf } from "../schema/keywords.ts";

interface OperationLocation {
  readonly item: JsonObject;
  readonly operation: JsonObject;
  readonly path: string;
  readonly pointer: string;
  readonly at: string;
}

export interface LocatedParameter {
  readonly value: JsonObject;
  readonly pointer: string;
}

/** Those of the operation take precedence. */
export const findParameters = (
  document: OpenApiDocument,
  location: OperationLocation,
  reportLoss: ReportLoss,
): readonly LocatedParameter[] => {
  const found = new Map<string, LocatedParameter>();
  const lists = [
    [location.item.parameters, `${location.at}/parameters`],
    [location.operation.parameters, `${location.pointer}/parameters`],
  ] as const;
  for (const [list, at] of lists) {
    for (const [index, given] of (Array.isArray(list) ? list : []).entries()) {
      const pointer = `${at}/${index}`;
      const resolved = followReferences(document.root, given, pointer);
      const value = "problem" in resolved ? undefined : resolved.value;
      if (!isObject(value) || typeof value.name !== "string" || typeof value.in !== "string") {
        const why = "problem" in resolved ? resolved.problem : "it has no name or no location";
        reportLoss(pointer, `A parameter is left out: ${why}.`);
        continue;
      }
      found.set(`${value.in} ${value.name}`, { value, pointer: (resolved as LocatedParameter).pointer });
    }
  }
  return [...found.values()];
};

/** `{?name}` denotes query parameters. */
export const sentPathOf = (path: string): string => path.replace(/\{[?&][^{}]*\}/g, "").replace(/#.*$/s, "");

const parameterLocations = ["path", "query", "header", "cookie"] as const;

export const readParameters = (
  document: OpenApiDocument,
  location: OperationLocation,
  reportLoss: ReportLoss,
): readonly OpenApiParameter[] => {
  const named = new Set([...sentPathOf(location.path).matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name!));
  const read = findParameters(document, location, reportLoss).flatMap(({ value, pointer }) => {
    const where = parameterLocations.find((each) => each === value.in);
    if (where === undefined) {
      if (value.in !== "body" && value.in !== "formData")
        reportLoss(
          pointer,
          `The parameter "${value.name}" is left out: the location "${value.in}" is unknown.`,
        );
      return [];
    }
    if (where === "path" && !named.has(value.name as string)) {
      reportLoss(pointer, `The parameter "${value.name}" is left out: the path has no such part.`);
      return [];
    }
    const parameter =
      document.version === "2.0"
        ? fromSwagger(value, where, pointer, reportLoss)
        : fromOpenApi3(document, value, where, pointer, reportLoss);
    return [parameter];
  });
  const known = new Set(read.filter(({ in: where }) => where === "path").map(({ name }) => name));
  const missing = [...named].filter((name) => !known.has(name));
  for (const name of missing)
    reportLoss(
      location.pointer,
      `The part "${name}" of the path is not described; it is treated as a string.`,
    );
  return [...read, ...missing.map((name) => pathParameter(name, location.pointer))];
};

const pathParameter = (name: string, pointer: string): OpenApiParameter => ({
  in: "path",
  name,
  required: true,
  schema: { type: "string" },
  pointer,
  allowReserved: false,
  allowEmpty: false,
  json: false,
});

const descriptionOf = (value: JsonObject): Pick<OpenApiParameter, "description"> =>
  typeof value.description === "string" && value.description.trim() !== ""
    ? { description: value.description }
    : {};

const commonFields = (value: JsonObject, where: OpenApiParameter["in"], pointer: string) => ({
  in: where,
  // A name such as `{.format}` implies the label style.
  ...(where === "path" && (value.name as string).startsWith(".") ? { style: "label" as const } : {}),
  name: value.name as string,
  // Always required in a path.
  required: where === "path" || value.required === true,
  ...descriptionOf(value),
  pointer,
  allowEmpty: value.allowEmptyValue === true,
});

const collectionFormats: Readonly<
  Record<string, { readonly style: ParameterStyle; readonly explode: boolean }>
> = {
  csv: { style: "form", explode: false },
  ssv: { style: "spaceDelimited", explode: false },
  tsv: { style: "tabDelimited", explode: false },
  pipes: { style: "pipeDelimited", explode: false },
  multi: { style: "form", explode: true },
};

export const collectionStyle = (
  format: unknown,
): { readonly style: ParameterStyle; readonly explode: boolean } =>
  (typeof format === "string" && Object.hasOwn(collectionFormats, format)
    ? collectionFormats[format]
    : undefined) ?? { style: "form", explode: false };

/** Swagger 2 has no nested schema. */
export const swaggerSchemaOf = (value: JsonObject): JsonObject => {
  const {
    name: _,
    in: _in,
    required: _required,
    description: _description,
    collectionFormat: _format,
    allowEmptyValue: _empty,
    schema,
    ...rest
  } = value;
  return isObject(schema) ? schema : rest;
};

const fromSwagger = (
  value: JsonObject,
  where: OpenApiParameter["in"],
  pointer: string,
  reportLoss: ReportLoss,
): OpenApiParameter => {
  const { style, explode } = collectionStyle(value.collectionFormat);
  const isList = value.type === "array";
  if (isList && where !== "query" && (style !== "form" || explode))
    reportLoss(
      pointer,
      `The list "${value.name}" is written with commas, because the ${where} does not support ${smallJsonOf(value.collectionFormat)?.slice(0, 80) ?? "such format"}.`,
    );
  return {
    ...commonFields(value, where, pointer),
    schema: swaggerSchemaOf(value),
    ...(isList && where === "query" ? { style, explode } : {}),
    allowReserved: false,
    json: false,
  };
};

const stylesByLocation: Readonly<Record<OpenApiParameter["in"], readonly string[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

const fromOpenApi3 = (
  document: OpenApiDocument,
  value: JsonObject,
  where: OpenApiParameter["in"],
  pointer: string,
  reportLoss: ReportLoss,
): OpenApiParameter => {
  const [type, content] = Object.entries(isObject(value.content) ? value.content : {})[0] ?? [];
  const media =
    content === undefined ? undefined : followReferences(document.root, content, `${pointer}/content`);
  const fits = value.style === undefined || stylesByLocation[where].includes(value.style as string);
  if (!fits)
    reportLoss(
      pointer,
      `The parameter "${value.name}" is in the ${where}, which has no style ${smallJsonOf(value.style)?.slice(0, 80) ?? "of this kind"}.`,
    );
  if (type !== undefined && !isJsonType(type))
    reportLoss(pointer, `The parameter "${value.name}" is ${type}: the tool accepts it as text.`);
  const inContent = media !== undefined && "value" in media && isObject(media.value) ? media.value : {};
  return {
    ...commonFields(value, where, pointer),
    schema: type === undefined ? value.schema : isJsonType(type) ? inContent.schema : { type: "string" },
    ...(fits && value.style !== undefined ? { style: value.style as ParameterStyle } : {}),
    ...(typeof value.explode === "boolean" ? { explode: value.explode } : {}),
    allowReserved: value.allowReserved === true,
    json: type !== undefined && isJsonType(type),
    ...("example" in value ? { example: value.example } : {}),
  };
};
