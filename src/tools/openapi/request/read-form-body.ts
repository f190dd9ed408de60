import type { JsonObject } from "../../../base/json/is-object.ts";
import type { ReportLoss } from "../loss-collector.ts";
import type { OpenApiBody } from "../operation.ts";
import type { OpenApiDocument } from "../read-document.ts";
import {
  collectionStyle,
  findParameters,
  type LocatedParameter,
  swaggerSchemaOf,
} from "./read-parameters.ts";
import { isMediaType } from "./read-request-body.ts";

interface OperationLocation {
  readonly item: JsonObject;
  readonly operation: JsonObject;
  readonly path: string;
  readonly pointer: string;
  readonly at: string;
}

const formType = "application/x-www-form-urlencoded";
const multipartType = "multipart/form-data";

/** Converts Swagger 2 to OpenAPI 3. */
export const readFormBody = (
  document: OpenApiDocument,
  location: OperationLocation,
  reportLoss: ReportLoss,
): OpenApiBody | undefined => {
  // `readParameters` reports invalid ones.
  const found = findParameters(document, location, () => {});
  const consumes = [location.operation.consumes, document.root.consumes].find(Array.isArray) ?? [];
  const named: readonly string[] = consumes.filter((type: unknown) => typeof type === "string");
  const types = named.filter(isMediaType);
  if (types.length < named.length)
    reportLoss(location.pointer, "A media type of the body is left out: it cannot be sent.");
  const bodyParameter = found.find(({ value }) => value.in === "body");
  const fields = found.filter(({ value }) => value.in === "formData");
  if (bodyParameter !== undefined) {
    if (fields.length > 0) reportLoss(location.pointer, "It has a body and form fields; the body is used.");
    return wholeBody(bodyParameter, types);
  }
  return fields.length === 0 ? undefined : formBody(fields, types, location.pointer);
};

const wholeBody = ({ value, pointer }: LocatedParameter, types: readonly string[]): OpenApiBody => {
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

const formBody = (
  fields: readonly LocatedParameter[],
  types: readonly string[],
  pointer: string,
): OpenApiBody => {
  const hasFile = fields.some(({ value }) => value.type === "file");
  const isMultipart = hasFile || (types.includes(multipartType) && !types.includes(formType));
  const properties = fields.map(({ value }) => {
    const { description } = value;
    return [
      value.name as string,
      { ...swaggerSchemaOf(value), ...(description === undefined ? {} : { description }) },
    ];
  });
  const lists = fields.filter(({ value }) => value.type === "array");
  const required = fields.filter(({ value }) => value.required === true).map(({ value }) => value.name);
  return {
    required: required.length > 0,
    media: [
      {
        type: isMultipart ? multipartType : formType,
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
