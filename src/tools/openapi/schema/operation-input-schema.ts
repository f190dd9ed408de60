import { isObject, type JsonObject, toPointer } from "../../../base/json/json-value.ts";
import type { JsonSchema } from "../../../types/json.ts";
import { contentEncodingOf } from "../../http/encode-content.ts";
import type { OpenApiBody, OpenApiMedia } from "../operation.ts";
import { changesMethod, type NamedParameter } from "../request/input-names.ts";
import { contentTypeFor } from "../request/read-request-body.ts";
import { composedOf, formFieldsOf, hiddenProperties, isFlatForm, partsOf } from "./composed.ts";
import type { SchemaDraft } from "./document-schemas.ts";
import { fileSchema, isFileField, withForbiddenNames } from "./file-schema.ts";
import { boundedText, smallJsonOf } from "./keywords.ts";

export interface InputParts {
  readonly root: JsonObject;
  readonly parameters: readonly NamedParameter[];
  readonly body?: OpenApiBody;
  readonly media?: OpenApiMedia;
  readonly bodyName: string;
}

export const operationInputSchema = (draft: SchemaDraft, parts: InputParts): JsonSchema => {
  const { parameters, body, media, bodyName } = parts;
  const properties: Record<string, JsonSchema | boolean> = {};
  for (const parameter of parameters)
    properties[parameter.from] = parameterSchema(draft, parts.root, parameter);
  if (body !== undefined && media !== undefined)
    properties[bodyName] = bodySchema(draft, parts.root, body, media);
  const required = [
    ...parameters.filter((each) => each.required).map((each) => each.from),
    ...(body?.required === true ? [bodyName] : []),
  ];
  return draft.finish({
    type: "object",
    properties,
    ...(required.length === 0 ? {} : { required }),
    additionalProperties: false,
  });
};

const parameterSchema = (
  draft: SchemaDraft,
  root: JsonObject,
  parameter: NamedParameter,
): JsonSchema | boolean => {
  const converted = draft.convert(parameter.schema, parameter.pointer);
  if (!isObject(converted)) return converted;
  const sent = restrictToSendable(converted, parameter);
  const made = isSpreadObject(root, parameter) ? withForbiddenNames(sent, new Set(["_method"])) : sent;
  const { description: own, ...rest } = made as { readonly description?: string };
  const descriptions = [boundedText(parameter.description), own].filter((each) => each !== undefined);
  const example = parameter.example === undefined ? undefined : smallJsonOf(parameter.example);
  return {
    ...rest,
    ...(example === undefined || example.length > 200 || "examples" in rest
      ? {}
      : { examples: [parameter.example] }),
    ...(descriptions.length === 0 ? {} : { description: [...new Set(descriptions)].join(" ") }),
  };
};

/** Its members must not override the method. */
const isSpreadObject = (
  root: JsonObject,
  { in: place, schema, style = "form", explode, json }: NamedParameter,
) =>
  place === "query" &&
  !json &&
  style === "form" &&
  explode !== false &&
  partsOf(root, schema).some(({ type, properties }) => type === "object" || isObject(properties));

const noSlashPattern = "^[^/\\\\]*$";

/** Excludes values that cannot be sent: empty required ones, and slashes in a path. */
const restrictToSendable = (
  schema: JsonSchema,
  { in: place, required, json, allowEmpty }: NamedParameter,
): JsonSchema => {
  if (json) return schema;
  if (schema.type === "string" && (place === "path" || (required && !allowEmpty))) {
    const { minLength, enum: values, pattern } = schema;
    if (values !== undefined) return schema;
    const whole = (minLength as number) > 0 ? schema : { ...schema, minLength: 1 };
    if (place !== "path") return whole;
    return pattern === undefined
      ? { ...whole, pattern: noSlashPattern }
      : { ...whole, allOf: [{ pattern: noSlashPattern }] };
  }
  const isNeeded = place === "path" || required;
  if (schema.type === "array" && isNeeded && !((schema.minItems as number) > 0))
    return { ...schema, minItems: 1 };
  if (schema.type === "object" && isNeeded && !((schema.minProperties as number) > 0))
    return { ...schema, minProperties: 1 };
  return schema;
};

const bodySchema = (
  draft: SchemaDraft,
  root: JsonObject,
  body: OpenApiBody,
  media: OpenApiMedia,
): JsonSchema | boolean => {
  const form = contentEncodingOf(contentTypeFor(media.type));
  const made = bodyByForm(draft, root, media, form);
  const description = boundedText(body.description);
  if (description === undefined || !isObject(made) || made.description !== undefined) return made;
  return { ...made, description: description };
};

const bodyByForm = (
  draft: SchemaDraft,
  root: JsonObject,
  media: OpenApiMedia,
  form: ReturnType<typeof contentEncodingOf>,
): JsonSchema | boolean => {
  const { schema, pointer } = media;
  if (form === "text") return textBody(draft, media);
  if (form === "bytes") return fileSchema(root, { description: `The body, ${contentTypeFor(media.type)}.` });
  const at = `${pointer}/schema`;
  if (form === "json" || !isFlatForm(root, schema)) return draft.convert(schema, at);
  return formSchema(draft, root, media, form);
};

/** XML and similar types are taken as text. */
const textBody = (draft: SchemaDraft, { schema, pointer, type }: OpenApiMedia): JsonSchema => {
  const converted = draft.convert(schema, `${pointer}/schema`);
  if (isObject(converted) && converted.type === "string") return converted;
  return { type: "string", description: `The body as text, ${contentTypeFor(type)}.` };
};

/** Field by field, because files are base64 in the input. */
const formSchema = (
  draft: SchemaDraft,
  root: JsonObject,
  { schema, pointer }: OpenApiMedia,
  form: "form" | "multipart",
): JsonSchema => {
  const at = `${pointer}/schema`;
  const { parts, broken } = composedOf(root, schema);
  const { properties, required } = formFieldsOf(root, schema);
  const changing = Object.keys(properties).filter(changesMethod);
  for (const name of changing)
    draft.note(
      `${at}/properties${toPointer([name])}`,
      `The field "${name}" is left out: it would change the method of the request.`,
    );
  const hidden = new Set([...hiddenProperties(root, schema, "readOnly"), ...changing]);
  const shown = Object.entries(properties).filter(([name]) => !hidden.has(name));
  const fields = shown.map(([name, schemas]) => {
    const place = `${at}/properties${toPointer([name])}`;
    const file = form === "multipart" ? schemas.find((each) => isFileField(root, each)) : undefined;
    const field =
      file === undefined
        ? allOfSchemas(schemas.map((each) => draft.convert(each, place)))
        : fileSchema(root, file);
    return [name, requireNonEmpty(field, required.includes(name))];
  });
  const rest = parts.map((part) => draft.convert(withoutFields(part), at)).filter(isMeaningful);
  for (const each of broken) draft.convert(each, at);
  const [only = {}] = rest.length === 1 ? rest : [{}];
  const { properties: closed, ...own } = only as JsonObject;
  const wanted = required.filter((name) => !hidden.has(name));
  return {
    ...withForbiddenNames(own, hidden),
    type: "object",
    properties: { ...(isObject(closed) ? closed : {}), ...Object.fromEntries(fields) },
    required: wanted,
    ...(rest.length > 1 ? { allOf: rest } : {}),
  };
};

/** Keeps field names if additional properties are constrained. */
const withoutFields = (part: JsonObject): JsonObject => {
  const { properties, required: _, allOf: _all, type: _type, nullable: _nullable, ...rest } = part;
  const speaksOfOthers = rest.additionalProperties !== undefined && rest.additionalProperties !== true;
  if (!speaksOfOthers || !isObject(properties)) return rest;
  return { ...rest, properties: Object.fromEntries(Object.keys(properties).map((name) => [name, true])) };
};

const isMeaningful = (schema: JsonSchema | boolean): boolean =>
  !isObject(schema) || Object.keys(schema).length > 0;

const allOfSchemas = (schemas: readonly (JsonSchema | boolean)[]): JsonSchema | boolean =>
  schemas.length === 1 ? schemas[0]! : { allOf: schemas };

/** An empty list is not sent in a form. */
const requireNonEmpty = (schema: JsonSchema | boolean, required: boolean): JsonSchema | boolean =>
  required && isObject(schema) && schema.type === "array" && !((schema.minItems as number) > 0)
    ? { ...schema, minItems: 1 }
    : schema;
