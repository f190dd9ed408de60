import { approvalRef } from "./approvals.ts";
import { callListItemRef } from "./call-list-items.ts";
import {
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  integerType,
  numberType,
  objectTypeOf,
  optionalField,
  type Schema,
  schemaRef,
  stringListType,
  stringType,
  timeType,
  type ValueOf,
} from "./schema-builders.ts";
import { callerRef, textRef } from "./shared.ts";

export const tokensSchema = objectTypeOf({
  input: numberType,
  output: numberType,
  cached: optionalField(numberType),
});
/** Token usage. */
export interface Tokens extends ValueOf<typeof tokensSchema> {}

export const runStateSchema = enumTypeOf("running", "done", "pending", "stopped", "cancelled", "failed");
/** `running` includes runs whose process has ended. */
export type RunState = ValueOf<typeof runStateSchema>;

export const runListItemSchema = objectTypeOf({
  runId: stringType,
  kind: enumTypeOf("run", "job", "session", "chat", "schedule"),
  agent: stringType,
  caller: optionalField(callerRef),
  status: runStateSchema,
  reason: optionalField(stringType),
  /** A living process holds the run. */
  isHeld: booleanType,
  turns: integerType,
  tokens: schemaRef<Tokens>("Tokens"),
  startedAt: timeType,
  updatedAt: timeType,
});
/** A run in a list. */
export interface RunListItem extends ValueOf<typeof runListItemSchema> {}
export const runListItemRef = schemaRef<RunListItem>("RunListItem");

export const runMessageSchema = objectTypeOf({
  role: enumTypeOf("system", "user", "assistant", "tool"),
  text: textRef,
  agent: optionalField(stringType),
  reasoning: optionalField(textRef),
  calls: optionalField(
    arrayTypeOf(
      objectTypeOf({
        id: stringType,
        tool: stringType,
        input: textRef,
        entryId: optionalField(stringType),
      }),
    ),
  ),
  callId: optionalField(stringType),
  tool: optionalField(stringType),
  ok: optionalField(booleanType),
  approvalId: optionalField(stringType),
  taints: optionalField(stringListType),
  media: optionalField(
    arrayTypeOf(objectTypeOf({ kind: stringType, mediaType: stringType, name: optionalField(stringType) })),
  ),
});
/** One message of a run. */
export interface RunMessage extends ValueOf<typeof runMessageSchema> {}

export const spanSchema = objectTypeOf({
  kind: enumTypeOf("call", "model"),
  call: callListItemRef,
  startedAt: timeType,
  /** Unset while it runs. */
  endedAt: optionalField(timeType),
  /** Nesting depth, from 0. */
  depth: integerType,
});
/** A bar in the waterfall chart. */
export interface Span extends ValueOf<typeof spanSchema> {}

export const runSchema = objectTypeOf({
  summary: runListItemRef,
  firstAgent: optionalField(stringType),
  initialMessageCount: integerType,
  messages: arrayTypeOf(schemaRef<RunMessage>("RunMessage")),
  /** The messages are no longer stored. */
  hasDroppedMessages: booleanType,
  /** Tool and model calls, oldest first. */
  spans: arrayTypeOf<Schema<Span>>(spanSchema),
  hasMore: booleanType,
  approvals: arrayTypeOf(approvalRef),
  handoffs: arrayTypeOf(
    objectTypeOf({ from: optionalField(stringType), to: stringType, at: optionalField(timeType) }),
  ),
  cost: optionalField(numberType),
  can: objectTypeOf({ resume: booleanType, cancel: booleanType, replay: booleanType }),
  /** Why the run cannot be resumed here. */
  resumeProblem: optionalField(stringType),
});
/** A run with its messages and calls. */
export interface Run extends ValueOf<typeof runSchema> {}

export const replayBodySchema = objectTypeOf({
  /** Which tools run. Default: `read-only`. */
  execute: optionalField(enumTypeOf("read-only", "all", "none")),
});
/** The body of `POST /runs/{id}/replay`. */
export interface ReplayBody extends ValueOf<typeof replayBodySchema> {}

export const replayResultSchema = objectTypeOf({
  runId: stringType,
  summary: objectTypeOf({
    total: integerType,
    same: integerType,
    different: integerType,
    refused: integerType,
    "not-run": integerType,
    gone: integerType,
  }),
  calls: arrayTypeOf(
    objectTypeOf({
      callId: stringType,
      tool: stringType,
      agent: optionalField(stringType),
      status: enumTypeOf("same", "different", "refused", "not-run", "gone"),
      reason: optionalField(stringType),
      before: optionalField(textRef),
      after: optionalField(textRef),
      /** Lines that start with `-`, `+` or a space. */
      diff: textRef,
    }),
  ),
});
/** Differences between recorded and repeated calls. */
export interface ReplayResult extends ValueOf<typeof replayResultSchema> {}

export const runActionSchema = objectTypeOf({ runId: stringType, done: booleanType, message: stringType });
/** Result of resuming or canceling a run. */
export interface RunAction extends ValueOf<typeof runActionSchema> {}
