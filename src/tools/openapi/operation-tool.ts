import * as Effect from "effect/Effect";
import { isObject, type JsonObject } from "../../base/json/json-value.ts";
import { readJson } from "../../base/json/read-json.ts";
import { compileSchema } from "../../base/schema/compile-schema.ts";
import { CredentialsError, ToolDefinitionError, ToolError } from "../../types/errors.ts";
import type { JsonSchema } from "../../types/json.ts";
import type {
  AnyTool,
  Implementation,
  Reconcile,
  ToolSpec,
  Validation,
  Validator,
} from "../../types/tool.ts";
import { assembleTool } from "../assemble-tool.ts";
import { contentEncodingOf, type FieldEncoding, type RequestContent } from "../http/encode-content.ts";
import { readTemplate } from "../http/request-options.ts";
import { decodeResponse, type HttpResponse } from "../http/status-error.ts";
import type { ParameterStyle } from "../http/styles.ts";
import { http } from "../http.ts";
import { readDefinition } from "../read-definition.ts";
import { readEffectKey } from "../read-effect-key.ts";
import type { describeOperation } from "./describe-operation.ts";
import type { OpenApiMedia, OpenApiResponse, ParsedOperation, ReportLoss } from "./operation.ts";
import { nameInputs } from "./request/input-names.ts";
import { sentPathOf } from "./request/read-parameters.ts";
import { contentTypeFor, isMediaType } from "./request/read-request-body.ts";
import { dereference, formFieldsOf } from "./schema/composed.ts";
import type { SchemaDraft } from "./schema/document-schemas.ts";
import { isFileField } from "./schema/file-schema.ts";
import { operationInputSchema } from "./schema/operation-input-schema.ts";
import type { SelectedAuth } from "./select-auth.ts";

export interface OperationToolParts {
  readonly name: string;
  readonly about: ReturnType<typeof describeOperation>;
  readonly operation: ParsedOperation;
  readonly media: OpenApiMedia | undefined;
  readonly server: string;
  readonly auth: SelectedAuth;
  readonly root: JsonObject;
  readonly input: () => SchemaDraft;
  /** Undefined if results are not checked. */
  readonly output: (() => SchemaDraft) | undefined;
  readonly note: ReportLoss;
}

/** Schemas are built on first use. */
export const operationTool = (parts: OperationToolParts): AnyTool => {
  const { name, about, operation, media, root, note } = parts;
  const { parameters, body: bodyName } = nameInputs(operation);
  const content = media === undefined ? undefined : toRequestContent(root, media, bodyName, note);
  const implementation = withCredential(
    http({
      url: urlOf(parts.server, sentPathOf(operation.path)),
      method: operation.method,
      parameters: parameters.map(({ in: place, name: wire, from, style, explode, allowReserved, json }) => ({
        in: place,
        name: wire,
        from,
        ...(style === undefined ? {} : { style }),
        ...(explode === undefined ? {} : { explode }),
        allowReserved,
        json,
      })),
      ...(content === undefined ? {} : { content }),
      headers: acceptOf(operation, root),
      auth: parts.auth.auth,
      response: responseReader(operation),
    }) as Implementation<unknown>,
    operation,
    parts.auth,
  );
  const { body } = operation;
  const input = memoize(() =>
    makeSchema(parts, noInputSchema, () =>
      operationInputSchema(parts.input(), {
        root,
        parameters,
        bodyName,
        ...(body === undefined || media === undefined ? {} : { body, media }),
      }),
    ),
  );
  const { output: draft } = parts;
  const output =
    draft === undefined || operation.answers.length === 0
      ? undefined
      : memoize(() => makeSchema(parts, {}, () => operationOutputSchema(draft(), operation.answers)));
  const { layers = [], key, reconcile, ...said } = about;
  const { spec } = readDefinition({ ...said, name, input: anyObject });
  return assembleTool({
    spec: withSchemas(spec, input, output),
    implementation,
    layers: Object.freeze([...layers]),
    input: lazily(input),
    output: output && lazily(output),
    key: readEffectKey(key, name),
    reconcile: reconcile as Reconcile | undefined,
  });
};

const formStyles: ReadonlySet<unknown> = new Set([
  "form",
  "spaceDelimited",
  "pipeDelimited",
  "tabDelimited",
  "deepObject",
]);

const toRequestContent = (
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

/** A path must not leave the server's host or base path. */
const urlOf = (server: string, path: string): string => {
  const url = server + path;
  const { base, segments } = readTemplate(url);
  const { origin, pathname } = new URL(server);
  const isBelow = `${segments.join("/")}/`.startsWith(pathname.endsWith("/") ? pathname : `${pathname}/`);
  if (base.origin === origin && isBelow) return url;
  throw new ToolDefinitionError("invalid_definition", "Its path would lead away from its server.");
};

const acceptOf = ({ parameters }: ParsedOperation, root: JsonObject): Readonly<Record<string, string>> => {
  const accept = parameters.find(
    ({ in: place, name }) => place === "header" && name.toLowerCase() === "accept",
  );
  const values = accept === undefined ? undefined : dereference(root, accept.schema)?.enum;
  return Array.isArray(values) && typeof values[0] === "string" ? { accept: values[0] } : {};
};

const anyObject = Object.freeze({ type: "object" });

/** No input satisfies it. */
const noInputSchema: JsonSchema = Object.freeze({
  type: "object",
  properties: Object.freeze({}),
  not: Object.freeze({}),
});

/** Listing tools must never fail. */
const makeSchema = (
  { operation, note }: OperationToolParts,
  instead: JsonSchema,
  make: () => JsonSchema,
): JsonSchema => {
  try {
    return make();
  } catch (error) {
    const what =
      instead === noInputSchema ? "so the tool cannot be called" : "and its response is not checked";
    note(operation.pointer, `Its schema cannot be created, ${what}: ${(error as Error).message}`);
    return instead;
  }
};

const memoize = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

const withSchemas = (
  spec: ToolSpec,
  input: () => JsonSchema,
  output: (() => JsonSchema) | undefined,
): ToolSpec =>
  Object.freeze(
    Object.defineProperties({ ...spec } as ToolSpec, {
      input: { get: input, enumerable: true },
      ...(output === undefined ? {} : { output: { get: output, enumerable: true } }),
    }),
  );

const lazily = (schema: () => JsonSchema): Validator => {
  const compiled = memoize(() => compileSchema(schema()));
  const validate = (value: unknown): Validation => compiled()(value);
  return Object.defineProperty(validate, "engine", {
    get: () => compiled().engine,
    enumerable: true,
  }) as Validator;
};

/** Fails before anything is sent. */
const withCredential = (
  implementation: Implementation<unknown>,
  { label }: ParsedOperation,
  { missing }: SelectedAuth,
): Implementation<unknown> => {
  if (missing === undefined) return implementation;
  const message = `${label} needs a credential, and none is configured for it. ${missing.join(" Or: ")}`;
  return Object.freeze({
    ...implementation,
    bind: () => () => Effect.fail(new CredentialsError("secret_missing", message, { ran: false })),
  });
};

const operationOutputSchema = (draft: SchemaDraft, answers: readonly OpenApiResponse[]): JsonSchema => {
  const made = answers.map(({ schema, pointer }) => draft.convert(schema, pointer));
  const [only] = made;
  const root: JsonSchema = made.length === 1 && isObject(only) ? only : { anyOf: made };
  return draft.finish(root);
};

/** Bytes become base64; HEAD returns the headers. */
const responseReader =
  ({ method, answers }: Pick<ParsedOperation, "method" | "answers">) =>
  (response: HttpResponse): unknown => {
    if (method === "HEAD") return { status: response.status, headers: Object.fromEntries(response.headers) };
    const value = decodeOrBase64(response);
    // Some services send JSON with another content type.
    if (answers.length === 0 || typeof value !== "string") return value;
    const reading = readJson(value);
    return reading.ok ? reading.value : value;
  };

const decodeOrBase64 = (response: HttpResponse): unknown => {
  try {
    return decodeResponse(response);
  } catch (error) {
    const type = response.headers.get("content-type") ?? "";
    // Invalid JSON remains a failure.
    if (!ToolError.is(error) || /json/i.test(type)) throw error;
    return {
      mediaType: type.split(";", 1)[0]!.trim(),
      base64: Buffer.from(response.body).toString("base64"),
    };
  }
};
