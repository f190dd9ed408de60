import {
  booleanType,
  enumTypeOf,
  numberType,
  objectTypeOf,
  optionalField,
  schemaRef,
  stringType,
  timeType,
  trueType,
  type ValueOf,
} from "./schema-builders.ts";

export const callEndingSchema = enumTypeOf("open", "executed", "failed", "pending", "hydrated", "unknown");
/**
 * `open`: running. `pending`: waits for approval. `hydrated`: waits for its orchestrator. `unknown`: its
 * process ended while it ran.
 */
export type CallEnding = ValueOf<typeof callEndingSchema>;

export const callListItemSchema = objectTypeOf({
  entryId: stringType,
  callId: stringType,
  runId: stringType,
  tool: stringType,
  at: timeType,
  ending: callEndingSchema,
  agent: optionalField(stringType),
  user: optionalField(stringType),
  tenant: optionalField(stringType),
  session: optionalField(stringType),
  parentId: optionalField(stringType),
  code: optionalField(stringType),
  /** Without waits for approvals and limits before the code started. */
  durationMs: optionalField(numberType),
  cost: optionalField(numberType),
  /** Beginning of the arguments, result and message. */
  input: stringType,
  result: optionalField(stringType),
  message: optionalField(stringType),
  isModel: booleanType,
  isRepaired: optionalField(trueType),
  /** A person or a layer changed the arguments. */
  isChanged: optionalField(trueType),
  isTainted: optionalField(trueType),
});
/** A call in a list. */
export interface CallListItem extends ValueOf<typeof callListItemSchema> {}
export const callListItemRef = schemaRef<CallListItem>("CallListItem");

export const taintSourceSchema = objectTypeOf({
  tool: stringType,
  entryId: optionalField(stringType),
  at: optionalField(timeType),
});
/** A tool whose untrusted content is in a result, with the call of the run that read it, if found. */
export interface TaintSource extends ValueOf<typeof taintSourceSchema> {}
export const taintSourceRef = schemaRef<TaintSource>("TaintSource");
