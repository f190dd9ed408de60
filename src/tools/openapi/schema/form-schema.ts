import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import { toPointer } from "../../../base/json/to-pointer.ts";
import type { JsonSchema } from "../../../types/json.ts";
import type { OpenApiMedia } from "../operation.ts";
import { changesMethod } from "../sent-parameters.ts";
import { composedOf, formFieldsOf, hiddenProperties } from "./composed.ts";
import type { SchemaDraft } from "./document-schemas.ts";
import { fileSchema, isFileField } from "./file-schema.ts";
import { withForbiddenNames } from "./with-forbidden-names.ts";

/** Field by field, because files are base64 in the input. */
export const formSchema = (
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
