import * as Effect from "effect/Effect";
import type { JsonObject } from "../../json/is-object.ts";
import { compileSchema } from "../../schema/compile-schema.ts";
import { assemble } from "../../tool/assemble.ts";
import { readTemplate } from "../../tool/http/read-template.ts";
import { http } from "../../tool/http.ts";
import { readDefinition } from "../../tool/read-definition.ts";
import { CredentialsError, ToolDefinitionError } from "../../words/errors.ts";
import type { JsonSchema } from "../../words/json.ts";
import type { ToolSpec } from "../../words/spec.ts";
import type { AnyTool, Implementation } from "../../words/tool.ts";
import type { Validation, Validator } from "../../words/validator.ts";
import type { aboutOperation } from "./about-operation.ts";
import { answerReader } from "./answer.ts";
import type { NoteLoss } from "./losses.ts";
import type { Media, ReadOperation } from "./operation.ts";
import { toContent } from "./request/content.ts";
import { nameInputs } from "./request/input-names.ts";
import { pathOf } from "./request/parameters.ts";
import { followed } from "./schema/composed.ts";
import { inputSchema } from "./schema/input-schema.ts";
import { outputSchema } from "./schema/output-schema.ts";
import type { SchemaDraft } from "./schema/schemas.ts";
import type { ChosenAuth } from "./security.ts";

export interface ToolParts {
  readonly name: string;
  readonly about: ReturnType<typeof aboutOperation>;
  readonly operation: ReadOperation;
  readonly media: Media | undefined;
  readonly server: string;
  readonly auth: ChosenAuth;
  readonly root: JsonObject;
  readonly input: () => SchemaDraft;
  /** Undefined where no output is promised. */
  readonly output: (() => SchemaDraft) | undefined;
  readonly note: NoteLoss;
}

/** A tool that makes one operation's request. Its schemas are made when somebody looks at them. */
export const operationTool = (parts: ToolParts): AnyTool => {
  const { name, about, operation, media, root, note } = parts;
  const { parameters, body: bodyName } = nameInputs(operation);
  const content = media === undefined ? undefined : toContent(root, media, bodyName, note);
  const implementation = withCredential(
    http({
      url: urlOf(parts.server, pathOf(operation.path)),
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
      response: answerReader(operation),
    }) as Implementation<unknown>,
    operation,
    parts.auth,
  );
  const { body } = operation;
  const input = once(() =>
    made(parts, nothing, () =>
      inputSchema(parts.input(), {
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
      : once(() => made(parts, {}, () => outputSchema(draft(), operation.answers)));
  const { layers = [], ...said } = about;
  const { spec } = readDefinition({ ...said, name, input: anyObject });
  return assemble({
    spec: withSchemas(spec, input, output),
    implementation,
    layers: Object.freeze([...layers]),
    input: lazily(input),
    output: output && lazily(output),
  });
};

/** The server's address is its own: whatever a path says, the request goes to that host and below that path. */
const urlOf = (server: string, path: string): string => {
  const url = server + path;
  const { base, segments } = readTemplate(url);
  const { origin, pathname } = new URL(server);
  const isBelow = `${segments.join("/")}/`.startsWith(pathname.endsWith("/") ? pathname : `${pathname}/`);
  if (base.origin === origin && isBelow) return url;
  throw new ToolDefinitionError("invalid_definition", "Its path would lead away from its server.");
};

/** Where the document lists what may be accepted, the first is, unless the caller says otherwise. */
const acceptOf = ({ parameters }: ReadOperation, root: JsonObject): Readonly<Record<string, string>> => {
  const accept = parameters.find(
    ({ in: place, name }) => place === "header" && name.toLowerCase() === "accept",
  );
  const values = accept === undefined ? undefined : followed(root, accept.schema)?.enum;
  return Array.isArray(values) && typeof values[0] === "string" ? { accept: values[0] } : {};
};

const anyObject = Object.freeze({ type: "object" });

/** Takes no arguments at all. */
const nothing: JsonSchema = Object.freeze({
  type: "object",
  properties: Object.freeze({}),
  not: Object.freeze({}),
});

/** Whoever lists all tools reads this one's schema too, and must not fail for it. */
const made = ({ operation, note }: ToolParts, instead: JsonSchema, make: () => JsonSchema): JsonSchema => {
  try {
    return make();
  } catch (error) {
    const what = instead === nothing ? "so the tool takes no call" : "and its answer is not checked";
    note(operation.pointer, `Its schema cannot be made, ${what}: ${(error as Error).message}`);
    return instead;
  }
};

const once = <A>(make: () => A): (() => A) => {
  let made: { readonly value: A } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
};

/** The spec's schemas are there for whoever reads them, and are made by the first who does. */
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
  const compiled = once(() => compileSchema(schema()));
  const validate = (value: unknown): Validation => compiled()(value);
  return Object.defineProperty(validate, "engine", {
    get: () => compiled().engine,
    enumerable: true,
  }) as Validator;
};

/** Nothing is sent for an operation whose credential nobody configured. */
const withCredential = (
  implementation: Implementation<unknown>,
  { label }: ReadOperation,
  { missing }: ChosenAuth,
): Implementation<unknown> => {
  if (missing === undefined) return implementation;
  const message = `${label} needs a credential, and none is configured for it. ${missing.join(" Or: ")}`;
  return Object.freeze({
    ...implementation,
    bind: () => () => Effect.fail(new CredentialsError("secret_missing", message, { ran: false })),
  });
};
