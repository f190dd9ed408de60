import { headerProblem } from "../../../base/http/headers.ts";
import { isObject, type JsonObject, toPointer } from "../../../base/json/json-value.ts";
import { contentEncodingOf } from "../../http/encode-content.ts";
import type { OpenApiBody, OpenApiMedia, ReportLoss } from "../operation.ts";
import { followReferences, type OpenApiDocument } from "../read-document.ts";
import {
  collectionStyle,
  findParameters,
  type LocatedParameter,
  swaggerSchemaOf,
} from "./read-parameters.ts";

export const readRequestBody = (
  document: OpenApiDocument,
  given: unknown,
  at: string,
  reportLoss: ReportLoss,
): OpenApiBody | undefined => {
  if (given === undefined) return undefined;
  const resolved = followReferences(document.root, given, at);
  const value = "problem" in resolved ? undefined : resolved.value;
  if (!isObject(value)) {
    reportLoss(
      at,
      `The body is left out: ${"problem" in resolved ? resolved.problem : "it is not an object"}.`,
    );
    return undefined;
  }
  const { pointer } = resolved as { readonly pointer: string };
  const media = Object.entries(isObject(value.content) ? value.content : {}).flatMap(([type, content]) => {
    if (!isMediaType(type)) {
      reportLoss(
        pointer,
        `A media type of the body is left out: ${JSON.stringify(type.slice(0, 80))} cannot be sent.`,
      );
      return [];
    }
    const found = followReferences(document.root, content, `${pointer}/content${toPointer([type])}`);
    if ("problem" in found || !isObject(found.value)) return [];
    const { schema, encoding } = found.value;
    return [{ type, schema, encoding: isObject(encoding) ? encoding : {}, pointer: found.pointer }];
  });
  if (media.length === 0) {
    if (value.required === true) reportLoss(pointer, "The body is left out: it has no media type.");
    return undefined;
  }
  const { description } = value;
  return {
    required: value.required === true,
    ...(typeof description === "string" && description.trim() !== "" ? { description } : {}),
    media,
    pointer,
  };
};

/** Whether it can be sent in a header. */
export const isMediaType = (type: string): boolean =>
  /^[^\s/]+\/[^\s/;]+[ \t]*(;|$)/.test(type.trim()) && headerProblem("content-type", type) === undefined;

/** JSON, forms, text, bytes. */
const rankOf = (type: string): number => {
  const plain = type.split(";", 1)[0]!.trim().toLowerCase();
  if (plain === "application/json") return 0;
  if (plain === "*/*" || plain === "application/*") return 2;
  if (/patch\+json$/.test(plain)) return 3;
  return { json: 1, form: 4, multipart: 5, text: plain === "text/plain" ? 6 : 7, bytes: 8 }[
    contentEncodingOf(type)
  ];
};

/** A preferred type, or the simplest. */
export const chooseMedia = (body: OpenApiBody, preferred: readonly string[]): OpenApiMedia => {
  const wanted = preferred.map((type) => type.toLowerCase());
  const placeOf = ({ type }: OpenApiMedia): number => {
    const index = wanted.indexOf(type.toLowerCase());
    return index < 0 ? wanted.length + rankOf(type) : index;
  };
  return body.media.toSorted((one, other) => placeOf(one) - placeOf(other))[0]!;
};

export const contentTypeFor = (type: string): string => {
  const plain = type.trim();
  if (/^(?:\*|application)\/\*$/.test(plain)) return "application/json";
  if (plain.includes("*+json")) return plain.replace("*+json", "json");
  if (plain === "text/*") return "text/plain";
  return plain.includes("*") ? "application/octet-stream" : plain;
};

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
