import { hashText } from "../../base/json/canonical-json.ts";
import { isObject, toPointer } from "../../base/json/json-value.ts";
import { ToolExecutionError } from "../../types/errors.ts";
import { unsendableInputError } from "./status-error.ts";
import { memberText, type ParameterStyle, toPairs } from "./styles.ts";

export type ContentEncoding = "json" | "form" | "multipart" | "text" | "bytes";

export interface FieldEncoding {
  readonly style?: ParameterStyle;
  readonly explode?: boolean;
  readonly allowReserved?: boolean;
  /** The media type of a part, or JSON as the text of a field. */
  readonly contentType?: string;
  /** Base64 in the input, bytes in the request. */
  readonly isFile?: boolean;
}

/** The property of the input that becomes the body, and its encoding. */
export interface RequestContent {
  readonly type: string;
  readonly from: string;
  /** Default: by media type. `bytes` are base64 in the input. */
  readonly form?: ContentEncoding;
  readonly fields?: Readonly<Record<string, FieldEncoding>>;
}

export interface EncodedContent {
  readonly type: string;
  readonly body: string | Uint8Array;
}

export const isJsonType = (type: string): boolean => /^[\w.-]+\/(?:[\w.*-]+\+)?json\b/i.test(type);

export const contentEncodingOf = (type: string): ContentEncoding => {
  const plain = type.split(";", 1)[0]!.trim().toLowerCase();
  if (isJsonType(plain)) return "json";
  if (plain === "application/x-www-form-urlencoded") return "form";
  if (plain.startsWith("multipart/")) return "multipart";
  return /^text\/|[/+](?:xml|yaml|x-yaml|graphql|javascript|x-ndjson|sql)$/.test(plain) ? "text" : "bytes";
};

/** Undefined if the input has no body. */
export const encodeContent = (
  content: RequestContent,
  input: Readonly<Record<string, unknown>>,
): EncodedContent | ToolExecutionError | undefined => {
  const { type, from, form = contentEncodingOf(type), fields = {} } = content;
  const value = Object.hasOwn(input, from) ? input[from] : undefined;
  if (value === undefined) return undefined;
  const pointer = toPointer([from]);
  if (form === "json") return { type, body: JSON.stringify(value) };
  if (form === "text") return { type, body: memberText(value) };
  if (form === "bytes") {
    const bytes = readBase64(value, pointer);
    return bytes instanceof ToolExecutionError ? bytes : { type, body: bytes };
  }
  if (!isObject(value))
    return unsendableInputError(`${pointer} is sent as a form, so it must be an object.`, pointer);
  const entries = Object.entries(value).filter(([, field]) => field !== undefined && field !== null);
  if (form === "form")
    return { type, body: entries.flatMap(([name, field]) => formPairs(name, field, fields)).join("&") };
  const parts: FieldPart[] = [];
  for (const [name, field] of entries) {
    const made = toFieldParts(name, field, encodingFor(fields, name), pointer + toPointer([name]));
    if (made instanceof ToolExecutionError) return made;
    parts.push(...made);
  }
  const { boundary, body } = toMultipart(parts);
  return { type: `${type.split(";", 1)[0]!.trim()}; boundary=${boundary}`, body };
};

const encodingFor = (fields: Readonly<Record<string, FieldEncoding>>, name: string): FieldEncoding =>
  Object.hasOwn(fields, name) ? fields[name]! : {};

/** Without a style, structures become JSON and lists repeat their name. */
const formPairs = (
  name: string,
  value: unknown,
  fields: Readonly<Record<string, FieldEncoding>>,
): readonly string[] => {
  const { style, explode, allowReserved, contentType } = encodingFor(fields, name);
  const isStyled = style !== undefined || explode !== undefined || allowReserved !== undefined;
  const asJson = contentType === undefined ? isObject(value) && !isStyled : isJsonType(contentType);
  const chosen = style ?? "form";
  return toPairs(
    asJson && typeof value === "object" ? JSON.stringify(value) : value,
    {
      name,
      style: chosen,
      explode: explode ?? chosen === "form",
      ...(allowReserved === undefined ? {} : { allowReserved }),
    },
    allowReserved === true ? "," : "%2C",
  );
};

const toFieldParts = (
  name: string,
  value: unknown,
  encoding: FieldEncoding,
  pointer: string,
): readonly FieldPart[] | ToolExecutionError => {
  const { isFile, contentType, style, explode } = encoding;
  const each =
    Array.isArray(value) && !(contentType !== undefined && isJsonType(contentType)) ? value : [value];
  if (isFile === true) {
    const parts: FieldPart[] = [];
    for (const item of each) {
      const bytes = readBase64(item, pointer);
      if (bytes instanceof ToolExecutionError) return bytes;
      parts.push({ name, filename: name, type: contentType ?? "application/octet-stream", bytes });
    }
    return parts;
  }
  // Parts are not percent-encoded.
  if (Array.isArray(value) && style !== undefined && explode === false)
    return [toPart(name, each.map(memberText).join(delimiterByStyle[style] ?? ","), contentType)];
  return each.map((item) => toPart(name, item, contentType));
};

const delimiterByStyle: Partial<Record<ParameterStyle, string>> = {
  spaceDelimited: " ",
  pipeDelimited: "|",
  tabDelimited: "\t",
};

const toPart = (name: string, value: unknown, contentType: string | undefined): FieldPart => {
  const isStructure = typeof value === "object" && value !== null;
  const type = contentType ?? (isStructure ? "application/json" : undefined);
  const text = type !== undefined && isJsonType(type) ? JSON.stringify(value) : memberText(value);
  return { name, bytes: Buffer.from(text), ...(type === undefined ? {} : { type }) };
};

/** Bytes are base64 in JSON arguments. */
const readBase64 = (value: unknown, pointer: string): Uint8Array | ToolExecutionError => {
  const text = typeof value === "string" ? value.replace(/\s+/g, "") : undefined;
  return text === undefined || !/^[A-Za-z0-9+/]*={0,2}$/.test(text)
    ? unsendableInputError(`${pointer} is sent as bytes, so it must be their base64.`, pointer)
    : Buffer.from(text, "base64");
};

interface FieldPart {
  readonly name: string;
  readonly bytes: Uint8Array;
  readonly filename?: string;
  readonly type?: string;
}

/** No name can inject a header. */
const quoted = (text: string): string =>
  `"${text.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A")}"`;

/** The boundary is a hash of the parts, so that no part contains it. */
const toMultipart = (
  parts: readonly FieldPart[],
): { readonly boundary: string; readonly body: Uint8Array } => {
  const inside = parts.map(
    (part) => `${JSON.stringify(part.name)} ${Buffer.from(part.bytes).toString("base64")}`,
  );
  const boundary = `haft-${hashText(inside.join("\n")).slice(0, 32)}`;
  const chunks = parts.flatMap(({ name, filename, type, bytes }) => [
    Buffer.from(
      `--${boundary}\r\nContent-Disposition: form-data; name=${quoted(name)}` +
        `${filename === undefined ? "" : `; filename=${quoted(filename)}`}\r\n` +
        `${type === undefined ? "" : `Content-Type: ${type.replace(/[\r\n]/g, " ")}\r\n`}\r\n`,
    ),
    Buffer.from(bytes),
    Buffer.from("\r\n"),
  ]);
  return { boundary, body: Buffer.concat([...chunks, Buffer.from(`--${boundary}--\r\n`)]) };
};
