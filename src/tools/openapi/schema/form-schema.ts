import { isObject, type JsonObject } from "../../../json/is-object.ts";
import { toPointer } from "../../../json/pointer.ts";
import type { JsonSchema } from "../../../words/json.ts";
import type { Media } from "../operation.ts";
import { changesMethod } from "../sent-parameters.ts";
import { composedOf, fieldsOf, hiddenIn } from "./composed.ts";
import { fileSchema, isFile } from "./files.ts";
import { refusing } from "./refusing.ts";
import type { SchemaDraft } from "./schemas.ts";

/** The fields of a form one by one, since a file is base64 in the input, and with them all that its parts say of the whole. */
export const formSchema = (
  draft: SchemaDraft,
  root: JsonObject,
  { schema, pointer }: Media,
  form: "form" | "multipart",
): JsonSchema => {
  const at = `${pointer}/schema`;
  const { parts, broken } = composedOf(root, schema);
  const { properties, required } = fieldsOf(root, schema);
  const changing = Object.keys(properties).filter(changesMethod);
  for (const name of changing)
    draft.note(
      `${at}/properties${toPointer([name])}`,
      `The field "${name}" is left out: it would change the method of the request.`,
    );
  const hidden = new Set([...hiddenIn(root, schema, "readOnly"), ...changing]);
  const shown = Object.entries(properties).filter(([name]) => !hidden.has(name));
  const fields = shown.map(([name, schemas]) => {
    const place = `${at}/properties${toPointer([name])}`;
    const file = form === "multipart" ? schemas.find((each) => isFile(root, each)) : undefined;
    const field =
      file === undefined
        ? together(schemas.map((each) => draft.convert(each, place)))
        : fileSchema(root, file);
    return [name, present(field, required.includes(name))];
  });
  const rest = parts.map((part) => draft.convert(withoutFields(part), at)).filter(says);
  for (const each of broken) draft.convert(each, at);
  const [only = {}] = rest.length === 1 ? rest : [{}];
  const { properties: closed, ...own } = only as JsonObject;
  const wanted = required.filter((name) => !hidden.has(name));
  return {
    ...refusing(own, hidden),
    type: "object",
    properties: { ...(isObject(closed) ? closed : {}), ...Object.fromEntries(fields) },
    required: wanted,
    ...(rest.length > 1 ? { allOf: rest } : {}),
  };
};

/** What a part says beside its fields. Which names it has stays, for whatever it says of all others. */
const withoutFields = (part: JsonObject): JsonObject => {
  const { properties, required: _, allOf: _all, type: _type, nullable: _nullable, ...rest } = part;
  const speaksOfOthers = rest.additionalProperties !== undefined && rest.additionalProperties !== true;
  if (!speaksOfOthers || !isObject(properties)) return rest;
  return { ...rest, properties: Object.fromEntries(Object.keys(properties).map((name) => [name, true])) };
};

const says = (schema: JsonSchema | boolean): boolean => !isObject(schema) || Object.keys(schema).length > 0;

const together = (schemas: readonly (JsonSchema | boolean)[]): JsonSchema | boolean =>
  schemas.length === 1 ? schemas[0]! : { allOf: schemas };

/** An empty list is not written into a form, so that one which is required has an item. */
const present = (schema: JsonSchema | boolean, required: boolean): JsonSchema | boolean =>
  required && isObject(schema) && schema.type === "array" && !((schema.minItems as number) > 0)
    ? { ...schema, minItems: 1 }
    : schema;
