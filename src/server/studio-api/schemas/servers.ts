import { type AppLine, appLineSchema } from "./apps.ts";
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

export const serverLogLineSchema = objectTypeOf({
  at: timeType,
  kind: enumTypeOf("connected", "disconnected", "logged", "trouble"),
  text: stringType,
});
/** A log line or status change of a server. */
export interface ServerLogLine extends ValueOf<typeof serverLogLineSchema> {}

export const serverSchema = objectTypeOf({
  id: stringType,
  status: enumTypeOf("connecting", "connected", "degraded", "disconnected", "error"),
  reason: optionalField(stringType),
  transport: enumTypeOf("stdio", "http", "sse", "websocket"),
  era: optionalField(stringType),
  protocol: optionalField(stringType),
  calledItself: optionalField(
    objectTypeOf({ name: stringType, version: stringType, title: optionalField(stringType) }),
  ),
  tools: stringListType,
  quarantined: arrayTypeOf(objectTypeOf({ tool: stringType, reason: stringType })),
  losses: arrayTypeOf(objectTypeOf({ tool: stringType, loss: stringType })),
  connectedAt: optionalField(timeType),
  reconnects: integerType,
  /** Apps for the results of its tools. */
  apps: arrayTypeOf<Schema<AppLine>>(appLineSchema),
  /** Supports sign-in. */
  canSignIn: booleanType,
  /** Latest lines, newest last. */
  log: arrayTypeOf<Schema<ServerLogLine>>(serverLogLineSchema),
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

export const signInAddressSchema = objectTypeOf({ url: stringType });
/** URL where the sign-in continues. */
export interface SignInAddress extends ValueOf<typeof signInAddressSchema> {}

export const finishSignInBodySchema = objectTypeOf({ answer: stringType });
export interface FinishSignInBody extends ValueOf<typeof finishSignInBodySchema> {}

export const reviewFlagSchema = objectTypeOf({
  code: stringType,
  severity: stringType,
  pointer: stringType,
  excerpt: stringType,
  /** What it means and why it is dangerous. */
  explained: stringType,
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
  parts: arrayTypeOf(
    objectTypeOf({
      pointer: stringType,
      was: optionalField(textRef),
      now: optionalField(textRef),
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
  trouble: optionalField(stringType),
  launch: optionalField(objectTypeOf({ was: optionalField(stringType), now: optionalField(stringType) })),
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
