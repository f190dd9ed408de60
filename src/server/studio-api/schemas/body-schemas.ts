import type { ChatBody } from "../types/agents.ts";
import type { AnswerBody, AnswersBody } from "../types/approvals.ts";
import type { AppCallBody, AppReadBody } from "../types/apps.ts";
import type { SettleBody } from "../types/calls.ts";
import type { ExplainBody } from "../types/rights.ts";
import type { ReplayBody } from "../types/runs.ts";
import type { ApproveReviewBody } from "../types/servers.ts";
import type { ToolCallBody, ValidateBody } from "../types/tools.ts";
import {
  type AnswerFields,
  anyType,
  booleanType,
  enumTypeOf,
  objectTypeOf,
  optionalField,
  recordType,
  stringListType,
  stringType,
} from "./schema-builders.ts";

const answerFields: AnswerFields<AnswerBody> = {
  decision: enumTypeOf("allow", "deny", "edit"),
  input: optionalField(anyType),
  reason: optionalField({ type: "string", maxLength: 10_000 }),
  always: optionalField(enumTypeOf("run", "session")),
};

export const bodySchemas = {
  none: objectTypeOf<Record<never, never>>({}),
  signIn: objectTypeOf<{ token: string }>({ token: stringType }),
  answer: objectTypeOf<AnswerBody>(answerFields),
  answers: objectTypeOf<AnswersBody>({
    ...answerFields,
    ids: { type: "array", items: stringType, minItems: 1, maxItems: 100 },
  }),
  settle: objectTypeOf<SettleBody>({
    tookEffect: booleanType,
    result: optionalField(anyType),
    reason: optionalField({ type: "string", maxLength: 10_000 }),
  }),
  replay: objectTypeOf<ReplayBody>({ execute: optionalField(enumTypeOf("read-only", "all", "none")) }),
  call: objectTypeOf<ToolCallBody>({ input: anyType, as: optionalField(stringType) }),
  appCall: objectTypeOf<AppCallBody>({ tool: stringType, input: recordType }),
  appRead: objectTypeOf<AppReadBody>({ uri: { type: "string", minLength: 1, maxLength: 8_192 } }),
  validate: objectTypeOf<ValidateBody>({ input: anyType }),
  explain: objectTypeOf<ExplainBody>({
    as: optionalField(stringType),
    tool: stringType,
    input: optionalField(anyType),
    tainted: optionalField(booleanType),
  }),
  approveReview: objectTypeOf<ApproveReviewBody>({
    hash: stringType,
    tools: optionalField(stringListType),
    accept: optionalField(stringListType),
  }),
  finishSignIn: objectTypeOf<{ answer: string }>({ answer: stringType }),
  chat: objectTypeOf<ChatBody>({
    message: { type: "string", minLength: 1, maxLength: 32_000 },
    chatId: optionalField(stringType),
    runId: optionalField(stringType),
    model: optionalField(stringType),
    as: optionalField(stringType),
  }),
} as const;
