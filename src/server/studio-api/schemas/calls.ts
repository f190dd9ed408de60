import { approvalRef } from "./approvals.ts";
import { appViewRef } from "./apps.ts";
import { callListItemRef, taintSourceRef } from "./call-list-items.ts";
import {
  anyType,
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
  textOfLength,
  timeType,
  trueType,
  type ValueOf,
} from "./schema-builders.ts";
import { callerRef, textRef, validationIssueRef } from "./shared.ts";

export const stageStateSchema = enumTypeOf(
  "passed",
  "failed",
  "pending",
  "running",
  "unknown",
  "not-reached",
);
/** `failed` and `pending` mark the last stage reached; later stages are `not-reached`. */
export type StageState = ValueOf<typeof stageStateSchema>;

export const callChangeSchema = objectTypeOf({
  stage: enumTypeOf("text", "shape", "key", "value", "model"),
  pointer: stringType,
  from: stringType,
  to: stringType,
});
/** One change made by a repair. */
export interface CallChange extends ValueOf<typeof callChangeSchema> {}

export const callAttemptSchema = objectTypeOf({
  number: integerType,
  startedAt: timeType,
  inputHash: stringType,
  ending: enumTypeOf("ended", "unknown", "suspended"),
  ran: booleanType,
});
/** One attempt to run the code. */
export interface CallAttempt extends ValueOf<typeof callAttemptSchema> {}

export const callRowSchema = objectTypeOf({
  seq: integerType,
  /** Name in `haft log show`. */
  name: stringType,
  chain: integerType,
  at: timeType,
  kind: stringType,
  hash: stringType,
  prev: optionalField(stringType),
  mac: optionalField(stringType),
  keyId: optionalField(stringType),
});
/** A row of the hash chain. */
export interface CallRow extends ValueOf<typeof callRowSchema> {}

const stageFields = {
  state: stageStateSchema,
  summary: stringType,
};

export const stagesSchema = objectTypeOf({
  hydrate: objectTypeOf({
    ...stageFields,
    /** The original arguments, masked. */
    input: textRef,
    /** Arguments the code received, if different. */
    ranWith: optionalField(textRef),
    validated: optionalField(booleanType),
    validator: optionalField(objectTypeOf({ name: stringType, version: stringType })),
    repaired: booleanType,
    changes: arrayTypeOf<Schema<CallChange>>(callChangeSchema),
    validationMs: optionalField(numberType),
    issues: arrayTypeOf(validationIssueRef),
  }),
  bind: objectTypeOf({
    ...stageFields,
    tool: stringType,
    implementation: optionalField(stringType),
    origin: optionalField(stringType),
    /** Hash of the definition that the call used. */
    definition: optionalField(stringType),
    /** Hash of the current definition. */
    currentDefinition: optionalField(stringType),
  }),
  authorize: objectTypeOf({
    ...stageFields,
    decision: optionalField(stringType),
    ruleIds: stringListType,
    caller: optionalField(callerRef),
  }),
  layers: objectTypeOf({
    ...stageFields,
    /** Outermost first. */
    layers: stringListType,
    notes: stringListType,
  }),
  run: objectTypeOf({
    ...stageFields,
    attempts: arrayTypeOf<Schema<CallAttempt>>(callAttemptSchema),
    ran: optionalField(booleanType),
    claimsNotRun: optionalField(trueType),
    durationMs: optionalField(numberType),
    /** Time spent waiting for approval, in milliseconds. */
    waitedMs: optionalField(numberType),
    cost: optionalField(numberType),
  }),
  check: objectTypeOf({
    ...stageFields,
    result: optionalField(textRef),
    /** The result before a layer replaced it. */
    original: optionalField(textRef),
  }),
  record: objectTypeOf({ ...stageFields, rows: arrayTypeOf<Schema<CallRow>>(callRowSchema) }),
  reply: objectTypeOf({
    ...stageFields,
    flow: optionalField(stringType),
    handoff: optionalField(stringType),
    code: optionalField(stringType),
    message: optionalField(stringType),
  }),
});
/** The eight stages in order, each with a summary of one sentence. */
export interface Stages extends ValueOf<typeof stagesSchema> {}

export const callSettlementSchema = objectTypeOf({
  tookEffect: booleanType,
  /** A person, or `reconcile`. */
  by: stringType,
  reason: optionalField(stringType),
  at: timeType,
});
/** Whether a call with unknown effect took effect. */
export interface CallSettlement extends ValueOf<typeof callSettlementSchema> {}

export const callMediaSchema = objectTypeOf({
  kind: stringType,
  mediaType: stringType,
  name: optionalField(stringType),
  bytes: optionalField(integerType),
  sha256: optionalField(stringType),
  url: optionalField(stringType),
});
/** An image, audio or file of a result, without its bytes. */
export interface CallMedia extends ValueOf<typeof callMediaSchema> {}

export const callSchema = objectTypeOf({
  summary: callListItemRef,
  correlationId: optionalField(stringType),
  /** Person who made the call in the Studio, and the App they used. */
  operator: optionalField(stringType),
  key: optionalField(stringType),
  inputHash: stringType,
  stages: schemaRef<Stages>("Stages"),
  /**
   * Sources of untrusted content in the result; for calls with approvals also those the run had read before.
   */
  taints: arrayTypeOf(taintSourceRef),
  parent: optionalField(callListItemRef),
  children: arrayTypeOf(callListItemRef),
  approvals: arrayTypeOf(approvalRef),
  /** The run of the call, if it is stored. */
  run: optionalField(objectTypeOf({ runId: stringType, agent: stringType, status: stringType })),
  /** The effect is unknown and can be settled. */
  canSettle: optionalField(trueType),
  /** How the call was settled. */
  settlement: optionalField<Schema<CallSettlement>>(callSettlementSchema),
  media: arrayTypeOf<Schema<CallMedia>>(callMediaSchema),
  /** Data for the tool's App, if the ledger has it completely. */
  app: optionalField(appViewRef),
});
/** One call with all stages. */
export interface Call extends ValueOf<typeof callSchema> {}

export const settleBodySchema = objectTypeOf({
  tookEffect: booleanType,
  /** The result, if known. Later calls with the same key get it. */
  result: optionalField(anyType),
  reason: optionalField(textOfLength(0, 10_000)),
});
/** The body of `POST /calls/{entryId}/settle`. */
export interface SettleBody extends ValueOf<typeof settleBodySchema> {}
