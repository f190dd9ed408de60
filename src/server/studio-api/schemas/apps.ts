import {
  anyType,
  arrayTypeOf,
  booleanType,
  objectTypeOf,
  openObjectTypeOf,
  optionalField,
  recordType,
  schemaRef,
  stringListType,
  stringType,
  textOfLength,
  type ValueOf,
} from "./schema-builders.ts";

export const appOriginsSchema = objectTypeOf({
  /** Requests and sockets. */
  connect: stringListType,
  /** Scripts, styles, images, fonts and media. */
  resource: stringListType,
  /** Nested frames. */
  frame: stringListType,
  /** Base URLs. */
  base: stringListType,
});
/** Origins that an App may access, by purpose. */
export interface AppOrigins extends ValueOf<typeof appOriginsSchema> {}

export const appPageSchema = objectTypeOf({
  server: stringType,
  uri: stringType,
  html: stringType,
  /** SHA-256 of the page. Permissions of a user apply to this content only. */
  hash: stringType,
  /** Origins that the page may access. */
  allowedOrigins: appOriginsSchema,
  /** Rejected origins, one sentence each. */
  rejectedOrigins: stringListType,
});
/** An MCP App, to be shown in a frame of another origin. */
export interface AppPage extends ValueOf<typeof appPageSchema> {}

export const serverAppSchema = objectTypeOf({ uri: stringType, tools: stringListType });
/** An App of a server, with its tools. */
export interface ServerApp extends ValueOf<typeof serverAppSchema> {}

export const appResultSchema = openObjectTypeOf({
  content: arrayTypeOf(recordType),
  structuredContent: optionalField(anyType),
  isError: optionalField(booleanType),
  _meta: optionalField(anyType),
});
/** An MCP tool result. */
export interface AppResult extends ValueOf<typeof appResultSchema> {}
const appResultRef = schemaRef<AppResult>("AppResult");

export const appViewSchema = objectTypeOf({
  server: stringType,
  uri: stringType,
  /** The tool as defined by its server. */
  tool: recordType,
  input: recordType,
  result: appResultRef,
});
/** An App and the data for it. */
export interface AppView extends ValueOf<typeof appViewSchema> {}
export const appViewRef = schemaRef<AppView>("AppView");

export const appCallBodySchema = objectTypeOf({
  /** The server's name for the tool. */
  tool: stringType,
  input: recordType,
});
/** The body of `POST /servers/{name}/apps/{uri}/call`. */
export interface AppCallBody extends ValueOf<typeof appCallBodySchema> {}

export const appCallResultSchema = objectTypeOf({
  result: appResultRef,
  entryId: optionalField(stringType),
  approvalId: optionalField(stringType),
});
/** Result of a call by an App. */
export interface AppCallResult extends ValueOf<typeof appCallResultSchema> {}

export const appReadBodySchema = objectTypeOf({ uri: textOfLength(1, 8_192) });
/** The body of `POST /servers/{name}/apps/{uri}/read`. */
export interface AppReadBody extends ValueOf<typeof appReadBodySchema> {}

export const appResourceSchema = objectTypeOf({ contents: arrayTypeOf(recordType) });
/** An MCP resource. */
export interface AppResource extends ValueOf<typeof appResourceSchema> {}
