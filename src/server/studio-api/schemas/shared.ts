import type { JsonSchema } from "../../../types/json.ts";
import type { Bucket, CallFigures, GroupFigures, Overview, SampleInfo } from "../types/overview.ts";
import type { ApiError, Caller, Count, Finding, Me, Text } from "../types/shared.ts";
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

const scopeSchema = enumTypeOf("studio:read", "studio:approve", "studio:run");
const failuresByCode = arrayTypeOf(
  objectTypeOf<{ code: string; count: number }>({ code: stringType, count: integerType }),
);

const figureFields: AnswerFields<CallFigures> = {
  calls: schemaRef("Count"),
  failed: schemaRef("Count"),
  p50: optionalField(numberType),
  p95: optionalField(numberType),
  cost: optionalField(numberType),
};

export const sharedSchemas: Readonly<Record<string, JsonSchema>> = {
  Text: objectTypeOf<Text>({
    text: stringType,
    cut: optionalField(trueType),
    length: optionalField(integerType),
    href: optionalField(stringType),
  }),
  Count: objectTypeOf<Count>({ count: integerType, isEstimate: booleanType }),
  Finding: objectTypeOf<Finding>({ pointer: stringType, message: stringType }),
  ApiError: objectTypeOf<ApiError>({
    error: objectTypeOf<ApiError["error"]>({
      code: stringType,
      message: stringType,
      scope: optionalField(scopeSchema),
      findings: optionalField(arrayTypeOf(schemaRef("Finding"))),
    }),
  }),
  Caller: objectTypeOf<Caller>({
    agent: stringType,
    user: optionalField(stringType),
    tenant: optionalField(stringType),
    session: optionalField(stringType),
    roles: optionalField(stringListType),
    within: optionalField(schemaRef("Caller")),
  }),
  Me: objectTypeOf<Me>({
    name: stringType,
    principal: optionalField(schemaRef("Caller")),
    scopes: arrayTypeOf(scopeSchema),
    endsAt: optionalField(timeType),
    version: stringType,
    ledger: objectTypeOf<Me["ledger"]>({
      kind: enumTypeOf("memory", "sqlite", "postgres", "other"),
      place: optionalField(stringType),
    }),
    agents: stringListType,
    has: objectTypeOf<Me["has"]>({
      fleet: booleanType,
      experiments: booleanType,
      servers: booleanType,
      agents: booleanType,
      approvals: booleanType,
      runs: booleanType,
      chain: booleanType,
    }),
    appOrigin: optionalField(stringType),
  }),
  Overview: objectTypeOf<Overview>({
    since: timeType,
    until: timeType,
    by: enumTypeOf("tool", "agent", "tenant"),
    total: objectTypeOf<CallFigures>(figureFields),
    groups: arrayTypeOf(objectTypeOf<GroupFigures>({ name: stringType, ...figureFields })),
    isCut: booleanType,
    failures: failuresByCode,
    buckets: arrayTypeOf(
      objectTypeOf<Bucket>({
        at: timeType,
        calls: integerType,
        failed: integerType,
        p50: optionalField(numberType),
        p95: optionalField(numberType),
        cost: optionalField(numberType),
      }),
    ),
    bucketMs: numberType,
    looked: objectTypeOf<SampleInfo>({
      calls: integerType,
      isAll: booleanType,
      how: enumTypeOf("all", "sample", "newest"),
    }),
    approvals: objectTypeOf<Overview["approvals"]>({
      waiting: integerType,
      isCut: booleanType,
      oldestAskedAt: optionalField(timeType),
    }),
  }),
};
