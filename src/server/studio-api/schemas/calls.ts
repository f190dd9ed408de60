import type { JsonSchema } from "../../../types/json.ts";
import type {
  Call,
  CallAttempt,
  CallChange,
  CallLine,
  CallMedia,
  CallRow,
  CallSettlement,
  Stages,
  TaintSource,
} from "../types/calls.ts";
import type { Page } from "../types/shared.ts";
import {
  type AnswerFields,
  arrayTypeOf,
  booleanType,
  enumTypeOf,
  integerType,
  numberType,
  objectTypeOf,
  optionalField,
  schemaRef,
  stringListType,
  stringType,
  timeType,
  trueType,
} from "./schema-builders.ts";

const pageFields = <Item>(items: JsonSchema): AnswerFields<Page<Item>> => ({
  items: arrayTypeOf(items),
  isCut: booleanType,
  next: optionalField(stringType),
  previous: optionalField(stringType),
  total: optionalField(schemaRef("Count")),
});

const stageFields = {
  state: enumTypeOf("passed", "failed", "waits", "running", "unknown", "not-reached"),
  what: stringType,
};

export const callsSchemas: Readonly<Record<string, JsonSchema>> = {
  CallLine: objectTypeOf<CallLine>({
    entryId: stringType,
    callId: stringType,
    runId: stringType,
    tool: stringType,
    at: timeType,
    ending: enumTypeOf("open", "executed", "failed", "pending", "hydrated", "unknown"),
    agent: optionalField(stringType),
    user: optionalField(stringType),
    tenant: optionalField(stringType),
    session: optionalField(stringType),
    parentId: optionalField(stringType),
    code: optionalField(stringType),
    durationMs: optionalField(numberType),
    cost: optionalField(numberType),
    input: stringType,
    result: optionalField(stringType),
    message: optionalField(stringType),
    isModel: booleanType,
    isRepaired: optionalField(trueType),
    isChanged: optionalField(trueType),
    isTainted: optionalField(trueType),
  }),
  CallPage: objectTypeOf<Page<CallLine>>(pageFields(schemaRef("CallLine"))),
  TaintSource: objectTypeOf<TaintSource>({
    tool: stringType,
    entryId: optionalField(stringType),
    at: optionalField(timeType),
  }),
  Stages: objectTypeOf<Stages>({
    hydrate: objectTypeOf<Stages["hydrate"]>({
      ...stageFields,
      input: schemaRef("Text"),
      ranWith: optionalField(schemaRef("Text")),
      validated: optionalField(booleanType),
      validator: optionalField(
        objectTypeOf<{ name: string; version: string }>({ name: stringType, version: stringType }),
      ),
      repaired: booleanType,
      changes: arrayTypeOf(
        objectTypeOf<CallChange>({
          stage: enumTypeOf("text", "shape", "key", "value", "model"),
          pointer: stringType,
          from: stringType,
          to: stringType,
        }),
      ),
      validationMs: optionalField(numberType),
      findings: arrayTypeOf(schemaRef("Finding")),
    }),
    bind: objectTypeOf<Stages["bind"]>({
      ...stageFields,
      tool: stringType,
      implementation: optionalField(stringType),
      origin: optionalField(stringType),
      definition: optionalField(stringType),
      definitionNow: optionalField(stringType),
    }),
    authorize: objectTypeOf<Stages["authorize"]>({
      ...stageFields,
      decision: optionalField(stringType),
      ruleIds: stringListType,
      caller: optionalField(schemaRef("Caller")),
    }),
    layers: objectTypeOf<Stages["layers"]>({ ...stageFields, layers: stringListType, notes: stringListType }),
    run: objectTypeOf<Stages["run"]>({
      ...stageFields,
      attempts: arrayTypeOf(
        objectTypeOf<CallAttempt>({
          number: integerType,
          startedAt: timeType,
          inputHash: stringType,
          ending: enumTypeOf("ended", "unknown", "suspended"),
          ran: booleanType,
        }),
      ),
      ran: optionalField(booleanType),
      claimsNotRun: optionalField(trueType),
      durationMs: optionalField(numberType),
      waitedMs: optionalField(numberType),
      cost: optionalField(numberType),
    }),
    check: objectTypeOf<Stages["check"]>({
      ...stageFields,
      result: optionalField(schemaRef("Text")),
      original: optionalField(schemaRef("Text")),
    }),
    record: objectTypeOf<Stages["record"]>({
      ...stageFields,
      rows: arrayTypeOf(
        objectTypeOf<CallRow>({
          seq: integerType,
          name: stringType,
          chain: integerType,
          at: timeType,
          kind: stringType,
          hash: stringType,
          prev: optionalField(stringType),
          mac: optionalField(stringType),
          keyId: optionalField(stringType),
        }),
      ),
    }),
    reply: objectTypeOf<Stages["reply"]>({
      ...stageFields,
      flow: optionalField(stringType),
      handoff: optionalField(stringType),
      code: optionalField(stringType),
      message: optionalField(stringType),
    }),
  }),
  Call: objectTypeOf<Call>({
    line: schemaRef("CallLine"),
    correlationId: optionalField(stringType),
    operator: optionalField(stringType),
    key: optionalField(stringType),
    inputHash: stringType,
    stages: schemaRef("Stages"),
    taints: arrayTypeOf(schemaRef("TaintSource")),
    parent: optionalField(schemaRef("CallLine")),
    children: arrayTypeOf(schemaRef("CallLine")),
    approvals: arrayTypeOf(schemaRef("Approval")),
    run: optionalField(
      objectTypeOf<NonNullable<Call["run"]>>({ runId: stringType, agent: stringType, status: stringType }),
    ),
    canSettle: optionalField(trueType),
    settlement: optionalField(
      objectTypeOf<CallSettlement>({
        tookEffect: booleanType,
        by: stringType,
        reason: optionalField(stringType),
        at: timeType,
      }),
    ),
    media: arrayTypeOf(
      objectTypeOf<CallMedia>({
        kind: stringType,
        mediaType: stringType,
        name: optionalField(stringType),
        bytes: optionalField(integerType),
        sha256: optionalField(stringType),
        url: optionalField(stringType),
      }),
    ),
    app: optionalField(schemaRef("AppView")),
  }),
};
