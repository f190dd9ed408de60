import type { JsonObject } from "../../../json/is-object.ts";
import type { NoteLoss } from "../losses.ts";
import type { Body } from "../operation.ts";
import type { OpenApiDocument } from "../read-document.ts";
import { isMediaType } from "./body.ts";
import { collectionStyle, type FoundParameter, findParameters, schemaOfSwagger } from "./parameters.ts";

interface Place {
  readonly item: JsonObject;
  readonly operation: JsonObject;
  readonly path: string;
  readonly pointer: string;
  readonly at: string;
}

const form = "application/x-www-form-urlencoded";
const multipart = "multipart/form-data";

/** The `body` parameter of Swagger 2, or its form fields, as a body of OpenAPI 3. */
export const readFormBody = (document: OpenApiDocument, place: Place, note: NoteLoss): Body | undefined => {
  // What is wrong with a parameter was noted where all of them are read.
  const found = findParameters(document, place, () => {});
  const consumes = [place.operation.consumes, document.root.consumes].find(Array.isArray) ?? [];
  const named: readonly string[] = consumes.filter((type: unknown) => typeof type === "string");
  const types = named.filter(isMediaType);
  if (types.length < named.length)
    note(place.pointer, "A media type of the body is left out: it cannot be sent.");
  const whole = found.find(({ value }) => value.in === "body");
  const fields = found.filter(({ value }) => value.in === "formData");
  if (whole !== undefined) {
    if (fields.length > 0) note(place.pointer, "It has a body and form fields; the body counts.");
    return wholeBody(whole, types);
  }
  return fields.length === 0 ? undefined : formBody(fields, types, place.pointer);
};

const wholeBody = ({ value, pointer }: FoundParameter, types: readonly string[]): Body => {
  const named = types.length === 0 ? ["application/json"] : types;
  return {
    required: value.required === true,
    ...(typeof value.description === "string" && value.description !== ""
      ? { description: value.description }
      : {}),
    media: named.map((type) => ({ type, schema: value.schema, encoding: {}, pointer })),
    pointer,
  };
};

const formBody = (fields: readonly FoundParameter[], types: readonly string[], pointer: string): Body => {
  const hasFile = fields.some(({ value }) => value.type === "file");
  const isMultipart = hasFile || (types.includes(multipart) && !types.includes(form));
  const properties = fields.map(({ value }) => {
    const { description } = value;
    return [
      value.name as string,
      { ...schemaOfSwagger(value), ...(description === undefined ? {} : { description }) },
    ];
  });
  const lists = fields.filter(({ value }) => value.type === "array");
  const required = fields.filter(({ value }) => value.required === true).map(({ value }) => value.name);
  return {
    required: required.length > 0,
    media: [
      {
        type: isMultipart ? multipart : form,
        schema: { type: "object", properties: Object.fromEntries(properties), required },
        encoding: Object.fromEntries(
          lists.map(({ value }) => [value.name as string, collectionStyle(value.collectionFormat)]),
        ),
        pointer,
      },
    ],
    pointer,
  };
};
