import { isObject, type JsonObject } from "../../../base/json/is-object.ts";
import { contentEncodingOf, type FieldEncoding, type RequestContent } from "../../http/encode-content.ts";
import type { ParameterStyle } from "../../http/styles.ts";
import type { ReportLoss } from "../loss-collector.ts";
import type { OpenApiMedia } from "../operation.ts";
import { formFieldsOf } from "../schema/composed.ts";
import { isFileField } from "../schema/file-schema.ts";
import { contentTypeFor, isMediaType } from "./read-request-body.ts";

const formStyles: ReadonlySet<unknown> = new Set([
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "tabDelimited",
  "deepObject",
]);

export const toRequestContent = (
  root: JsonObject,
  media: OpenApiMedia,
  from: string,
  reportLoss: ReportLoss,
): RequestContent => {
  const type = contentTypeFor(media.type);
  const form = contentEncodingOf(type);
  if (media.type.includes("*") && form === "bytes")
    reportLoss(
      media.pointer,
      `The body is ${media.type}; it is sent as ${type}. Set another with \`mediaType\`.`,
    );
  if (form === "text" && /xml|yaml/.test(type))
    reportLoss(media.pointer, `The body is ${type}: the tool accepts it as text, and its schema is omitted.`);
  if (form !== "form" && form !== "multipart") return { type, from, form };
  const { properties } = formFieldsOf(root, media.schema);
  const fields = Object.entries(properties).map(
    ([name, schemas]) => [name, encodingOf(root, media, name, schemas, form)] as const,
  );
  const particular = fields.filter(([, encoding]) => Object.keys(encoding).length > 0);
  return { type, from, form, fields: Object.fromEntries(particular) };
};

const encodingOf = (
  root: JsonObject,
  { encoding }: OpenApiMedia,
  name: string,
  schemas: readonly unknown[],
  form: "form" | "multipart",
): FieldEncoding => {
  const given = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const { style, explode, allowReserved, contentType } = isObject(given) ? given : {};
  const [type] = typeof contentType === "string" ? contentType.split(",").map((each) => each.trim()) : [];
  return {
    ...(formStyles.has(style) ? { style: style as ParameterStyle } : {}),
    ...(typeof explode === "boolean" ? { explode } : {}),
    ...(allowReserved === true ? { allowReserved } : {}),
    ...(type === undefined || type.includes("*") || !isMediaType(type) ? {} : { contentType: type }),
    ...(form === "multipart" && schemas.some((schema) => isFileField(root, schema)) ? { isFile: true } : {}),
  };
};
