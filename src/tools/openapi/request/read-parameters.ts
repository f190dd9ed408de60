import { isObject, type JsonObject } from "../../../json/is-object.ts";
import { isJsonType } from "../../../tool/http/content.ts";
import type { ParameterStyle } from "../../../tool/http/styles.ts";
import type { NoteLoss } from "../losses.ts";
import type { Parameter } from "../operation.ts";
import type { OpenApiDocument } from "../read-document.ts";
import { resolve } from "../reference.ts";
import { jsonOf } from "../schema/small-json.ts";

interface Place {
  readonly item: JsonObject;
  readonly operation: JsonObject;
  readonly path: string;
  readonly pointer: string;
  /** Of the path item. */
  readonly at: string;
}

/** A parameter as it stands in the document, its reference followed. */
export interface FoundParameter {
  readonly value: JsonObject;
  readonly pointer: string;
}

/** Those of the path and of the operation; of two with one name and place, the operation's counts. */
export const findParameters = (
  document: OpenApiDocument,
  place: Place,
  note: NoteLoss,
): readonly FoundParameter[] => {
  const found = new Map<string, FoundParameter>();
  const lists = [
    [place.item.parameters, `${place.at}/parameters`],
    [place.operation.parameters, `${place.pointer}/parameters`],
  ] as const;
  for (const [list, at] of lists) {
    for (const [index, given] of (Array.isArray(list) ? list : []).entries()) {
      const pointer = `${at}/${index}`;
      const resolved = resolve(document.root, given, pointer);
      const value = "problem" in resolved ? undefined : resolved.value;
      if (!isObject(value) || typeof value.name !== "string" || typeof value.in !== "string") {
        const why = "problem" in resolved ? resolved.problem : "it has no name or no place";
        note(pointer, `A parameter is left out: ${why}.`);
        continue;
      }
      found.set(`${value.in} ${value.name}`, { value, pointer: (resolved as FoundParameter).pointer });
    }
  }
  return [...found.values()];
};

/** The path that is sent: what stands behind `#` never reaches a server, and `{?name}` means parameters of the query. */
export const pathOf = (path: string): string => path.replace(/\{[?&][^{}]*\}/g, "").replace(/#.*$/s, "");

const places = ["path", "query", "header", "cookie"] as const;

export const readParameters = (
  document: OpenApiDocument,
  place: Place,
  note: NoteLoss,
): readonly Parameter[] => {
  const named = new Set([...pathOf(place.path).matchAll(/\{([^{}]+)\}/g)].map(([, name]) => name!));
  const read = findParameters(document, place, note).flatMap(({ value, pointer }) => {
    const where = places.find((each) => each === value.in);
    if (where === undefined) {
      if (value.in !== "body" && value.in !== "formData")
        note(pointer, `The parameter "${value.name}" is left out: there is no place "${value.in}".`);
      return [];
    }
    if (where === "path" && !named.has(value.name as string)) {
      note(pointer, `The parameter "${value.name}" is left out: the path has no such part.`);
      return [];
    }
    const parameter =
      document.version === "2.0"
        ? fromSwagger(value, where, pointer, note)
        : fromOpenApi3(document, value, where, pointer, note);
    return [parameter];
  });
  const known = new Set(read.filter(({ in: where }) => where === "path").map(({ name }) => name));
  const missing = [...named].filter((name) => !known.has(name));
  for (const name of missing)
    note(place.pointer, `The part "${name}" of the path is not described; it is taken for a string.`);
  return [...read, ...missing.map((name) => plainPart(name, place.pointer))];
};

const plainPart = (name: string, pointer: string): Parameter => ({
  in: "path",
  name,
  required: true,
  schema: { type: "string" },
  pointer,
  allowReserved: false,
  allowEmpty: false,
  json: false,
});

const said = (value: JsonObject): Pick<Parameter, "description"> =>
  typeof value.description === "string" && value.description.trim() !== ""
    ? { description: value.description }
    : {};

const shared = (value: JsonObject, where: Parameter["in"], pointer: string) => ({
  in: where,
  // `{.format}` means in every language of templates that a dot goes before the value.
  ...(where === "path" && (value.name as string).startsWith(".") ? { style: "label" as const } : {}),
  name: value.name as string,
  // A part of a path is never left out, whatever the document says.
  required: where === "path" || value.required === true,
  ...said(value),
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

/** How lists are written in Swagger 2: `csv` unless named. */
export const collectionStyle = (
  format: unknown,
): { readonly style: ParameterStyle; readonly explode: boolean } =>
  (typeof format === "string" && Object.hasOwn(collectionFormats, format)
    ? collectionFormats[format]
    : undefined) ?? { style: "form", explode: false };

/** Swagger 2 writes the schema into the parameter itself. */
export const schemaOfSwagger = (value: JsonObject): JsonObject => {
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
  where: Parameter["in"],
  pointer: string,
  note: NoteLoss,
): Parameter => {
  const { style, explode } = collectionStyle(value.collectionFormat);
  const isList = value.type === "array";
  if (isList && where !== "query" && (style !== "form" || explode))
    note(
      pointer,
      `The list "${value.name}" is written with commas: in the ${where} there is no ${jsonOf(value.collectionFormat)?.slice(0, 80) ?? "such format"}.`,
    );
  return {
    ...shared(value, where, pointer),
    schema: schemaOfSwagger(value),
    ...(isList && where === "query" ? { style, explode } : {}),
    allowReserved: false,
    json: false,
  };
};

const styles: Readonly<Record<Parameter["in"], readonly string[]>> = {
  path: ["simple", "label", "matrix"],
  query: ["form", "spaceDelimited", "pipeDelimited", "deepObject"],
  header: ["simple"],
  cookie: ["form"],
};

const fromOpenApi3 = (
  document: OpenApiDocument,
  value: JsonObject,
  where: Parameter["in"],
  pointer: string,
  note: NoteLoss,
): Parameter => {
  const [type, content] = Object.entries(isObject(value.content) ? value.content : {})[0] ?? [];
  const media = content === undefined ? undefined : resolve(document.root, content, `${pointer}/content`);
  const fits = value.style === undefined || styles[where].includes(value.style as string);
  if (!fits)
    note(
      pointer,
      `The parameter "${value.name}" is in the ${where}, which has no style ${jsonOf(value.style)?.slice(0, 80) ?? "of this kind"}.`,
    );
  if (type !== undefined && !isJsonType(type))
    note(pointer, `The parameter "${value.name}" is ${type}: the tool takes its text.`);
  const inContent = media !== undefined && "value" in media && isObject(media.value) ? media.value : {};
  return {
    ...shared(value, where, pointer),
    schema: type === undefined ? value.schema : isJsonType(type) ? inContent.schema : { type: "string" },
    ...(fits && value.style !== undefined ? { style: value.style as ParameterStyle } : {}),
    ...(typeof value.explode === "boolean" ? { explode: value.explode } : {}),
    allowReserved: value.allowReserved === true,
    json: type !== undefined && isJsonType(type),
    ...("example" in value ? { example: value.example } : {}),
  };
};
