import { type AgentLine, agentLineSchema, stoppedChatSchema } from "./agents.ts";
import {
  answerResultSchema,
  answerResultsSchema,
  approvalDetailSchema,
  approvalRef,
  approvalSchema,
} from "./approvals.ts";
import {
  appCallResultSchema,
  appPageSchema,
  appResourceSchema,
  appResultSchema,
  appViewSchema,
} from "./apps.ts";
import { callLineRef, callLineSchema, taintSourceSchema } from "./call-lines.ts";
import { callSchema, stagesSchema } from "./calls.ts";
import { type ExperimentLine, experimentLineSchema } from "./experiments.ts";
import { liveMessageSchema, verifyResultSchema } from "./live.ts";
import { overviewSchema } from "./overview.ts";
import { rightExplainedSchema, rightsSchema } from "./rights.ts";
import {
  replayResultSchema,
  runActionSchema,
  runLineRef,
  runLineSchema,
  runMessageSchema,
  runSchema,
  tokensSchema,
} from "./runs.ts";
import type { ValueOf } from "./schema-builders.ts";
import {
  approvedReviewSchema,
  lockReviewSchema,
  serverListSchema,
  serverSchema,
  signInAddressSchema,
} from "./servers.ts";
import {
  apiErrorSchema,
  callerSchema,
  countSchema,
  findingSchema,
  meSchema,
  pageOf,
  textSchema,
} from "./shared.ts";
import {
  catalogSchema,
  toolCallResultSchema,
  toolCopiesSchema,
  toolDetailSchema,
  toolLineSchema,
  validationSchema,
} from "./tools.ts";

/** The components of the OpenAPI document. */
export const answerSchemas = {
  Text: textSchema,
  Count: countSchema,
  Finding: findingSchema,
  ApiError: apiErrorSchema,
  Caller: callerSchema,
  Me: meSchema,
  Overview: overviewSchema,
  CallLine: callLineSchema,
  CallPage: pageOf(callLineRef),
  TaintSource: taintSourceSchema,
  Stages: stagesSchema,
  Call: callSchema,
  Approval: approvalSchema,
  ApprovalPage: pageOf(approvalRef),
  ApprovalDetail: approvalDetailSchema,
  AnswerResult: answerResultSchema,
  AnswerResults: answerResultsSchema,
  Tokens: tokensSchema,
  RunLine: runLineSchema,
  RunPage: pageOf(runLineRef),
  RunMessage: runMessageSchema,
  Run: runSchema,
  ReplayResult: replayResultSchema,
  RunAction: runActionSchema,
  ToolLine: toolLineSchema,
  Catalog: catalogSchema,
  ToolCopies: toolCopiesSchema,
  ToolDetail: toolDetailSchema,
  ToolCallResult: toolCallResultSchema,
  Validation: validationSchema,
  Rights: rightsSchema,
  RightExplained: rightExplainedSchema,
  Server: serverSchema,
  ServerList: serverListSchema,
  SignInAddress: signInAddressSchema,
  LockReview: lockReviewSchema,
  ApprovedReview: approvedReviewSchema,
  AppPage: appPageSchema,
  StoppedChat: stoppedChatSchema,
  AppResult: appResultSchema,
  AppView: appViewSchema,
  AppCallResult: appCallResultSchema,
  AppResource: appResourceSchema,
  AgentPage: pageOf<AgentLine>(agentLineSchema),
  ExperimentPage: pageOf<ExperimentLine>(experimentLineSchema),
  LiveMessage: liveMessageSchema,
  VerifyResult: verifyResultSchema,
};

type NamedAnswer = keyof typeof answerSchemas;

/** A component of the document, a stream of events, a plain text, or any JSON. */
export type AnswerName = NamedAnswer | "events" | "text" | "any";

export type AnswerNamed<Name extends AnswerName> = Name extends NamedAnswer
  ? ValueOf<(typeof answerSchemas)[Name]>
  : Name extends "any"
    ? unknown
    : Response;
