import type { JsonSchema } from "../../../types/json.ts";
import type { AnswerResult, AnswerResults, Approval, ApprovalDetail } from "../types/approvals.ts";
import type { ReplayResult, Run, RunAction, RunLine, RunMessage, Span, Tokens } from "../types/runs.ts";
import type { Page } from "../types/shared.ts";
import {
  type AnswerFields,
  anyType,
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
} from "./schema-builders.ts";

const runStatusSchema = enumTypeOf("running", "done", "pending", "stopped", "cancelled", "failed");
const pageFields = <Item>(items: JsonSchema): AnswerFields<Page<Item>> => ({
  items: arrayTypeOf(items),
  isCut: booleanType,
  next: optionalField(stringType),
  previous: optionalField(stringType),
  total: optionalField(schemaRef("Count")),
});

export const approvalAndRunSchemas: Readonly<Record<string, JsonSchema>> = {
  Approval: objectTypeOf<Approval>({
    id: stringType,
    entryId: stringType,
    callId: stringType,
    runId: stringType,
    tool: stringType,
    caller: schemaRef("Caller"),
    reason: stringType,
    input: schemaRef("Text"),
    askedAt: timeType,
    expiresAt: optionalField(timeType),
    status: enumTypeOf("waiting", "answered", "used", "expired", "void"),
    decision: optionalField(enumTypeOf("allow", "deny", "edit")),
    edited: optionalField(schemaRef("Text")),
    always: optionalField(enumTypeOf("run", "session")),
    denyReason: optionalField(stringType),
    answeredBy: optionalField(stringType),
    answeredAt: optionalField(timeType),
    waitsFor: optionalField(stringListType),
  }),
  ApprovalPage: objectTypeOf<Page<Approval>>(pageFields(schemaRef("Approval"))),
  ApprovalDetail: objectTypeOf<ApprovalDetail>({
    approval: schemaRef("Approval"),
    value: optionalField(anyType),
    masked: stringListType,
    call: optionalField(schemaRef("CallLine")),
    decision: optionalField(stringType),
    ruleIds: stringListType,
    tool: optionalField(
      objectTypeOf<NonNullable<ApprovalDetail["tool"]>>({
        description: stringType,
        risk: stringType,
        input: anyType,
        readOnly: booleanType,
        destructive: booleanType,
        hasChanged: booleanType,
      }),
    ),
    taints: arrayTypeOf(schemaRef("TaintSource")),
    before: arrayTypeOf(schemaRef("CallLine")),
    hasSession: booleanType,
  }),
  AnswerResult: objectTypeOf<AnswerResult>({
    id: stringType,
    answered: booleanType,
    approval: optionalField(schemaRef("Approval")),
    why: optionalField(enumTypeOf("already_answered", "expired", "not_found", "unfit")),
    message: stringType,
    goesOn: optionalField(enumTypeOf("here", "worker", "session", "chat", "client", "later", "nobody")),
  }),
  AnswerResults: objectTypeOf<AnswerResults>({ results: arrayTypeOf(schemaRef("AnswerResult")) }),
  Tokens: objectTypeOf<Tokens>({ input: numberType, output: numberType, cached: optionalField(numberType) }),
  RunLine: objectTypeOf<RunLine>({
    runId: stringType,
    kind: enumTypeOf("run", "job", "session", "chat", "schedule"),
    agent: stringType,
    caller: optionalField(schemaRef("Caller")),
    status: runStatusSchema,
    reason: optionalField(stringType),
    isHeld: booleanType,
    turns: integerType,
    tokens: schemaRef("Tokens"),
    startedAt: timeType,
    updatedAt: timeType,
  }),
  RunPage: objectTypeOf<Page<RunLine>>(pageFields(schemaRef("RunLine"))),
  RunMessage: objectTypeOf<RunMessage>({
    role: enumTypeOf("system", "user", "assistant", "tool"),
    text: schemaRef("Text"),
    agent: optionalField(stringType),
    reasoning: optionalField(schemaRef("Text")),
    calls: optionalField(
      arrayTypeOf(
        objectTypeOf<NonNullable<RunMessage["calls"]>[number]>({
          id: stringType,
          tool: stringType,
          input: schemaRef("Text"),
          entryId: optionalField(stringType),
        }),
      ),
    ),
    callId: optionalField(stringType),
    tool: optionalField(stringType),
    ok: optionalField(booleanType),
    pending: optionalField(stringType),
    taints: optionalField(stringListType),
    media: optionalField(
      arrayTypeOf(
        objectTypeOf<NonNullable<RunMessage["media"]>[number]>({
          kind: stringType,
          mediaType: stringType,
          name: optionalField(stringType),
        }),
      ),
    ),
  }),
  Run: objectTypeOf<Run>({
    line: schemaRef("RunLine"),
    firstAgent: optionalField(stringType),
    given: integerType,
    messages: arrayTypeOf(schemaRef("RunMessage")),
    isForgotten: booleanType,
    spans: arrayTypeOf(
      objectTypeOf<Span>({
        kind: enumTypeOf("call", "model"),
        call: schemaRef("CallLine"),
        beganAt: timeType,
        endedAt: optionalField(timeType),
        depth: integerType,
      }),
    ),
    isCut: booleanType,
    approvals: arrayTypeOf(schemaRef("Approval")),
    handoffs: arrayTypeOf(
      objectTypeOf<Run["handoffs"][number]>({
        from: optionalField(stringType),
        to: stringType,
        at: optionalField(timeType),
      }),
    ),
    cost: optionalField(numberType),
    can: objectTypeOf<Run["can"]>({ resume: booleanType, giveUp: booleanType, replay: booleanType }),
    whyNot: optionalField(stringType),
  }),
  ReplayResult: objectTypeOf<ReplayResult>({
    runId: stringType,
    summary: objectTypeOf<ReplayResult["summary"]>({
      total: integerType,
      same: integerType,
      different: integerType,
      refused: integerType,
      "not-run": integerType,
      gone: integerType,
    }),
    calls: arrayTypeOf(
      objectTypeOf<ReplayResult["calls"][number]>({
        callId: stringType,
        tool: stringType,
        agent: optionalField(stringType),
        status: enumTypeOf("same", "different", "refused", "not-run", "gone"),
        why: optionalField(stringType),
        before: optionalField(schemaRef("Text")),
        now: optionalField(schemaRef("Text")),
        diff: schemaRef("Text"),
      }),
    ),
  }),
  RunAction: objectTypeOf<RunAction>({ runId: stringType, done: booleanType, message: stringType }),
};
