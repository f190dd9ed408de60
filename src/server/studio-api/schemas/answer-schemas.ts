import { type AgentListItem, agentListItemSchema, stoppedChatSchema } from "./agents.ts";
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
import { callListItemRef, callListItemSchema, taintSourceSchema } from "./call-list-items.ts";
import { callSchema, stagesSchema } from "./calls.ts";
import { type ExperimentListItem, experimentListItemSchema } from "./experiments.ts";
import { liveMessageSchema, verifyResultSchema } from "./live.ts";
import { overviewSchema } from "./overview.ts";
import { permissionExplanationSchema, permissionsSchema } from "./permissions.ts";
import {
  replayResultSchema,
  runActionSchema,
  runListItemRef,
  runListItemSchema,
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
  signInUrlSchema,
} from "./servers.ts";
import {
  apiErrorSchema,
  callerSchema,
  countSchema,
  meSchema,
  pageOf,
  textSchema,
  validationIssueSchema,
} from "./shared.ts";
import {
  catalogSchema,
  toolCallResultSchema,
  toolDetailSchema,
  toolListItemSchema,
  toolSnippetsSchema,
  validationSchema,
} from "./tools.ts";

/** The components of the OpenAPI document. */
export const answerSchemas = {
  Text: textSchema,
  Count: countSchema,
  ValidationIssue: validationIssueSchema,
  ApiError: apiErrorSchema,
  Caller: callerSchema,
  Me: meSchema,
  Overview: overviewSchema,
  CallListItem: callListItemSchema,
  CallPage: pageOf(callListItemRef),
  TaintSource: taintSourceSchema,
  Stages: stagesSchema,
  Call: callSchema,
  Approval: approvalSchema,
  ApprovalPage: pageOf(approvalRef),
  ApprovalDetail: approvalDetailSchema,
  AnswerResult: answerResultSchema,
  AnswerResults: answerResultsSchema,
  Tokens: tokensSchema,
  RunListItem: runListItemSchema,
  RunPage: pageOf(runListItemRef),
  RunMessage: runMessageSchema,
  Run: runSchema,
  ReplayResult: replayResultSchema,
  RunAction: runActionSchema,
  ToolListItem: toolListItemSchema,
  Catalog: catalogSchema,
  ToolSnippets: toolSnippetsSchema,
  ToolDetail: toolDetailSchema,
  ToolCallResult: toolCallResultSchema,
  Validation: validationSchema,
  Permissions: permissionsSchema,
  PermissionExplanation: permissionExplanationSchema,
  Server: serverSchema,
  ServerList: serverListSchema,
  SignInUrl: signInUrlSchema,
  LockReview: lockReviewSchema,
  ApprovedReview: approvedReviewSchema,
  AppPage: appPageSchema,
  StoppedChat: stoppedChatSchema,
  AppResult: appResultSchema,
  AppView: appViewSchema,
  AppCallResult: appCallResultSchema,
  AppResource: appResourceSchema,
  AgentPage: pageOf<AgentListItem>(agentListItemSchema),
  ExperimentPage: pageOf<ExperimentListItem>(experimentListItemSchema),
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
