import { callListItemRef, taintSourceRef } from "./call-list-items.ts";
import {
  type ArraySchema,
  anyType,
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  objectTypeOf,
  optionalField,
  type Schema,
  schemaRef,
  stringListType,
  stringType,
  textOfLength,
  timeType,
  type ValueOf,
} from "./schema-builders.ts";
import { callerRef, textRef } from "./shared.ts";

export const approvalStateSchema = enumTypeOf("waiting", "answered", "used", "expired", "void");
/** `answered`: not resumed yet. `used`: resumed. `void`: the tool or the arguments have changed. */
export type ApprovalState = ValueOf<typeof approvalStateSchema>;

const decisionSchema = enumTypeOf("allow", "deny", "edit");
const grantScopeSchema = enumTypeOf("run", "session");

export const approvalSchema = objectTypeOf({
  id: stringType,
  entryId: stringType,
  callId: stringType,
  runId: stringType,
  tool: stringType,
  caller: callerRef,
  /** Why approval is required. */
  reason: stringType,
  /** Arguments as masked JSON text. */
  input: textRef,
  askedAt: timeType,
  expiresAt: optionalField(timeType),
  status: approvalStateSchema,
  decision: optionalField(decisionSchema),
  /** Edited arguments as masked JSON text. */
  edited: optionalField(textRef),
  always: optionalField(grantScopeSchema),
  denyReason: optionalField(stringType),
  answeredBy: optionalField(stringType),
  answeredAt: optionalField(timeType),
  /** Approvals of nested calls that this call waits for. It takes no decision itself. */
  waitsFor: optionalField(stringListType),
});
/** An approval request. */
export interface Approval extends ValueOf<typeof approvalSchema> {}
export const approvalRef = schemaRef<Approval>("Approval");

export const approvalDetailSchema = objectTypeOf({
  approval: approvalRef,
  /** Masked arguments as a value, for a form. */
  value: optionalField(anyType),
  /** JSON pointers of masked values. Unchanged masks in an edit are replaced by the original text. */
  masked: stringListType,
  call: optionalField(callListItemRef),
  decision: optionalField(stringType),
  ruleIds: stringListType,
  tool: optionalField(
    objectTypeOf({
      description: stringType,
      risk: stringType,
      input: anyType,
      readOnly: booleanType,
      destructive: booleanType,
      /** The tool has changed since the request, so a decision would be void. */
      hasChanged: booleanType,
    }),
  ),
  /** Tools whose untrusted content the run had read before the request. */
  taints: arrayTypeOf(taintSourceRef),
  /** Of the same tool, newest first. */
  earlierCalls: arrayTypeOf(callListItemRef),
  /** Whether a grant for the caller's session is possible. */
  hasSession: booleanType,
});
/** An approval with everything needed for a decision. */
export interface ApprovalDetail extends ValueOf<typeof approvalDetailSchema> {}

const answerFields = {
  decision: decisionSchema,
  /** Edited arguments, for `edit`. */
  input: optionalField(anyType),
  /** Text for the model, for `deny`. */
  reason: optionalField(textOfLength(0, 10_000)),
  /** Grants further calls of the tool, for `allow`. */
  always: optionalField(grantScopeSchema),
};
export const answerBodySchema = objectTypeOf(answerFields);
/** The body of `POST /approvals/{id}/answer`. */
export interface AnswerBody extends ValueOf<typeof answerBodySchema> {}

const answeredIdsSchema: ArraySchema<Schema<string>> = { ...stringListType, minItems: 1, maxItems: 100 };
export const answersBodySchema = objectTypeOf({ ...answerFields, ids: answeredIdsSchema });
/** The body of `POST /approvals/answer`. */
export interface AnswersBody extends ValueOf<typeof answersBodySchema> {}

export const answerResultSchema = objectTypeOf({
  id: stringType,
  answered: booleanType,
  approval: optionalField(approvalRef),
  /** Why the answer was rejected. */
  code: optionalField(enumTypeOf("already_answered", "expired", "not_found", "invalid")),
  /** Describes the result and what happens next. */
  message: stringType,
  /** Where the call continues. */
  continuesIn: optionalField(enumTypeOf("here", "worker", "session", "chat", "client", "later", "none")),
});
/** Result of an answer. */
export interface AnswerResult extends ValueOf<typeof answerResultSchema> {}

export const answerResultsSchema = objectTypeOf({
  results: arrayTypeOf(schemaRef<AnswerResult>("AnswerResult")),
});
/** Results of several answers. */
export interface AnswerResults extends ValueOf<typeof answerResultsSchema> {}
