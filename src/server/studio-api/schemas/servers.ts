import { type ServerApp, serverAppSchema } from "./apps.ts";
import {
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  integerType,
  objectTypeOf,
  optionalField,
  type Schema,
  schemaRef,
  stringListType,
  stringType,
  timeType,
  type ValueOf,
} from "./schema-builders.ts";
import { textRef } from "./shared.ts";

export const serverLogEntrySchema = objectTypeOf({
  at: timeType,
  kind: enumTypeOf("connected", "disconnected", "logged", "error"),
  text: stringType,
});
/** A log line or status change of a server. */
export interface ServerLogEntry extends ValueOf<typeof serverLogEntrySchema> {}

export const serverSchema = objectTypeOf({
  id: stringType,
  status: enumTypeOf("connecting", "connected", "degraded", "disconnected", "error"),
  reason: optionalField(stringType),
  transport: enumTypeOf("stdio", "http", "sse", "websocket"),
  era: optionalField(stringType),
  protocol: optionalField(stringType),
  serverInfo: optionalField(
    objectTypeOf({ name: stringType, version: stringType, title: optionalField(stringType) }),
  ),
  tools: stringListType,
  quarantined: arrayTypeOf(objectTypeOf({ tool: stringType, reason: stringType })),
  losses: arrayTypeOf(objectTypeOf({ tool: stringType, loss: stringType })),
  connectedAt: optionalField(timeType),
  reconnects: integerType,
  /** Apps for the results of its tools. */
  apps: arrayTypeOf<Schema<ServerApp>>(serverAppSchema),
  /** Supports sign-in. */
  canSignIn: booleanType,
  /** Latest lines, newest last. */
  log: arrayTypeOf<Schema<ServerLogEntry>>(serverLogEntrySchema),
});
/** An MCP server. */
export interface Server extends ValueOf<typeof serverSchema> {}
export const serverRef = schemaRef<Server>("Server");

export const serverListSchema = objectTypeOf({
  items: arrayTypeOf(serverRef),
  /** Path of the lock file, if one is used. */
  lock: optionalField(stringType),
});
/** All MCP servers of the runtime. */
export interface ServerList extends ValueOf<typeof serverListSchema> {}

export const signInUrlSchema = objectTypeOf({ url: stringType });
/** URL where the sign-in continues. */
export interface SignInUrl extends ValueOf<typeof signInUrlSchema> {}

export const finishSignInBodySchema = objectTypeOf({ redirectUrl: stringType });
export interface FinishSignInBody extends ValueOf<typeof finishSignInBodySchema> {}

export const reviewFlagSchema = objectTypeOf({
  code: stringType,
  severity: stringType,
  pointer: stringType,
  excerpt: stringType,
  /** What it means and why it is dangerous. */
  explanation: stringType,
  isAccepted: booleanType,
});
/** A suspicious part of a definition. */
export interface ReviewFlag extends ValueOf<typeof reviewFlagSchema> {}

export const reviewedToolSchema = objectTypeOf({
  name: stringType,
  /** `new`, `changed`, `removed`, `renamed`, `same` or `refused`. */
  change: stringType,
  from: optionalField(stringType),
  reason: optionalField(stringType),
  changes: arrayTypeOf(
    objectTypeOf({
      pointer: stringType,
      before: optionalField(textRef),
      after: optionalField(textRef),
      diff: textRef,
    }),
  ),
  flags: arrayTypeOf<Schema<ReviewFlag>>(reviewFlagSchema),
});
/** One tool of a review. */
export interface ReviewedTool extends ValueOf<typeof reviewedToolSchema> {}

export const lockReviewSchema = objectTypeOf({
  server: stringType,
  lock: optionalField(stringType),
  isClean: booleanType,
  change: stringType,
  /** Why the server could not be read. */
  error: optionalField(stringType),
  launch: optionalField(
    objectTypeOf({ before: optionalField(stringType), after: optionalField(stringType) }),
  ),
  tools: arrayTypeOf<Schema<ReviewedTool>>(reviewedToolSchema),
  /** Hash of the review. Approving requires it, so that only what was shown is accepted. */
  hash: stringType,
});
/** What a server offers, compared with the lock. */
export interface LockReview extends ValueOf<typeof lockReviewSchema> {}

export const approveReviewBodySchema = objectTypeOf({
  hash: stringType,
  /** Tool names. Default: all tools of the server. */
  tools: optionalField(stringListType),
  /** Tools whose flags are accepted. */
  accept: optionalField(stringListType),
});
/** The body of `POST /servers/{name}/review/approve`. */
export interface ApproveReviewBody extends ValueOf<typeof approveReviewBodySchema> {}

export const approvedReviewSchema = objectTypeOf({
  written: booleanType,
  lock: stringType,
  message: stringType,
});
/** Result of an approved review. */
export interface ApprovedReview extends ValueOf<typeof approvedReviewSchema> {}
