import { isObject, type JsonObject } from "../../../json/is-object.ts";
import { type FieldEncoding, formOf, type RequestContent } from "../../../tool/http/content.ts";
import type { ParameterStyle } from "../../../tool/http/styles.ts";
import type { NoteLoss } from "../losses.ts";
import type { Media } from "../operation.ts";
import { fieldsOf } from "../schema/composed.ts";
import { isFile } from "../schema/files.ts";
import { isMediaType, sentType } from "./body.ts";

const styles: ReadonlySet<unknown> = new Set([
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "tabDelimited",
  "deepObject",
]);

/** How the HTTP tool writes the body that was chosen. */
export const toContent = (root: JsonObject, media: Media, from: string, note: NoteLoss): RequestContent => {
  const type = sentType(media.type);
  const form = formOf(type);
  if (media.type.includes("*") && form === "bytes")
    note(media.pointer, `The body is ${media.type}; it is sent as ${type}. Name another with \`mediaType\`.`);
  if (form === "text" && /xml|yaml/.test(type))
    note(media.pointer, `The body is ${type}: the tool takes its text, and its schema is not carried.`);
  if (form !== "form" && form !== "multipart") return { type, from, form };
  const { properties } = fieldsOf(root, media.schema);
  const fields = Object.entries(properties).map(
    ([name, schemas]) => [name, encodingOf(root, media, name, schemas, form)] as const,
  );
  const particular = fields.filter(([, encoding]) => Object.keys(encoding).length > 0);
  return { type, from, form, fields: Object.fromEntries(particular) };
};

const encodingOf = (
  root: JsonObject,
  { encoding }: Media,
  name: string,
  schemas: readonly unknown[],
  form: "form" | "multipart",
): FieldEncoding => {
  const given = Object.hasOwn(encoding, name) ? encoding[name] : undefined;
  const { style, explode, allowReserved, contentType } = isObject(given) ? given : {};
  const [type] = typeof contentType === "string" ? contentType.split(",").map((each) => each.trim()) : [];
  return {
    ...(styles.has(style) ? { style: style as ParameterStyle } : {}),
    ...(typeof explode === "boolean" ? { explode } : {}),
    ...(allowReserved === true ? { allowReserved } : {}),
    ...(type === undefined || type.includes("*") || !isMediaType(type) ? {} : { contentType: type }),
    ...(form === "multipart" && schemas.some((schema) => isFile(root, schema)) ? { isFile: true } : {}),
  };
};
