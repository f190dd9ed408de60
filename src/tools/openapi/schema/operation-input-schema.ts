import { isObject, type JsonObject } from "../../../json/is-object.ts";
import { formOf } from "../../../tool/http/content.ts";
import type { JsonSchema } from "../../../words/json.ts";
import type { Body, Media } from "../operation.ts";
import { sentType } from "../request/body.ts";
import type { NamedParameter } from "../request/input-names.ts";
import { isFlat, partsOf } from "./composed.ts";
import { fileSchema } from "./files.ts";
import { formSchema } from "./form-schema.ts";
import { toText } from "./keywords.ts";
import { refusing } from "./refusing.ts";
import type { SchemaDraft } from "./schemas.ts";
import { jsonOf } from "./small-json.ts";

export interface InputParts {
  readonly root: JsonObject;
  readonly parameters: readonly NamedParameter[];
  readonly body?: Body;
  readonly media?: Media;
  /** The property that holds the body. */
  readonly bodyName: string;
}

/** One object that holds all that a request is made of. Nothing else is taken, since nothing else would be sent. */
export const inputSchema = (draft: SchemaDraft, parts: InputParts): JsonSchema => {
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
  const sent = sendable(converted, parameter);
  const made = isSpread(root, parameter) ? refusing(sent, new Set(["_method"])) : sent;
  const { description: own, ...rest } = made as { readonly description?: string };
  const said = [toText(parameter.description), own].filter((each) => each !== undefined);
  const example = parameter.example === undefined ? undefined : jsonOf(parameter.example);
  return {
    ...rest,
    ...(example === undefined || example.length > 200 || "examples" in rest
      ? {}
      : { examples: [parameter.example] }),
    ...(said.length === 0 ? {} : { description: [...new Set(said)].join(" ") }),
  };
};

/** An object whose members are parameters of the query themselves, so that none may be what changes the method. */
const isSpread = (root: JsonObject, { in: place, schema, style = "form", explode, json }: NamedParameter) =>
  place === "query" &&
  !json &&
  style === "form" &&
  explode !== false &&
  partsOf(root, schema).some(({ type, properties }) => type === "object" || isObject(properties));

const noSlash = "^[^/\\\\]*$";

/** What cannot be written in its place is not taken: nothing empty where it would be missing, no slash in a path. */
const sendable = (
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
      ? { ...whole, pattern: noSlash }
      : { ...whole, allOf: [{ pattern: noSlash }] };
  }
  const isNeeded = place === "path" || required;
  if (schema.type === "array" && isNeeded && !((schema.minItems as number) > 0))
    return { ...schema, minItems: 1 };
  if (schema.type === "object" && isNeeded && !((schema.minProperties as number) > 0))
    return { ...schema, minProperties: 1 };
  return schema;
};

const bodySchema = (draft: SchemaDraft, root: JsonObject, body: Body, media: Media): JsonSchema | boolean => {
  const form = formOf(sentType(media.type));
  const made = bodyByForm(draft, root, media, form);
  const said = toText(body.description);
  if (said === undefined || !isObject(made) || made.description !== undefined) return made;
  return { ...made, description: said };
};

const bodyByForm = (
  draft: SchemaDraft,
  root: JsonObject,
  media: Media,
  form: ReturnType<typeof formOf>,
): JsonSchema | boolean => {
  const { schema, pointer } = media;
  if (form === "text") return textBody(draft, media);
  if (form === "bytes") return fileSchema(root, { description: `The body, ${sentType(media.type)}.` });
  const at = `${pointer}/schema`;
  if (form === "json" || !isFlat(root, schema)) return draft.convert(schema, at);
  return formSchema(draft, root, media, form);
};

/** Text has the schema of a text where the document has one; of XML and the like only the text is taken. */
const textBody = (draft: SchemaDraft, { schema, pointer, type }: Media): JsonSchema => {
  const converted = draft.convert(schema, `${pointer}/schema`);
  if (isObject(converted) && converted.type === "string") return converted;
  return { type: "string", description: `The body as text, ${sentType(type)}.` };
};
