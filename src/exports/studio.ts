/** The Studio: a web page over a runtime and its ledger, and its HTTP API. */
export { type AppFrame, type AppFrameOptions, appFrame } from "../server/studio-api/apps/app-frame.ts";
export type { AgentListItem, ChatBody, ChatEvent, StoppedChat } from "../server/studio-api/schemas/agents.ts";
export type {
  AnswerBody,
  AnswerResult,
  AnswerResults,
  AnswersBody,
  Approval,
  ApprovalDetail,
  ApprovalState,
} from "../server/studio-api/schemas/approvals.ts";
export type {
  AppCallBody,
  AppCallResult,
  AppOrigins,
  AppPage,
  AppReadBody,
  AppResource,
  AppResult,
  AppView,
  ServerApp,
} from "../server/studio-api/schemas/apps.ts";
export type { CallEnding, CallListItem, TaintSource } from "../server/studio-api/schemas/call-list-items.ts";
export type {
  Call,
  CallAttempt,
  CallChange,
  CallMedia,
  CallRow,
  CallSettlement,
  SettleBody,
  StageState,
  Stages,
} from "../server/studio-api/schemas/calls.ts";
export type { ExperimentListItem, FleetView } from "../server/studio-api/schemas/experiments.ts";
export type { LiveMessage, VerifyProgress, VerifyResult } from "../server/studio-api/schemas/live.ts";
export type {
  Bucket,
  CallStats,
  GroupStats,
  Overview,
  SampleInfo,
} from "../server/studio-api/schemas/overview.ts";
export type {
  ExplainBody,
  ExplainedRule,
  NamedPrincipal,
  Permission,
  PermissionEffect,
  PermissionExplanation,
  PermissionFactor,
  Permissions,
  RuleState,
} from "../server/studio-api/schemas/permissions.ts";
export type {
  ReplayBody,
  ReplayResult,
  Run,
  RunAction,
  RunListItem,
  RunMessage,
  RunState,
  Span,
  Tokens,
} from "../server/studio-api/schemas/runs.ts";
export type {
  ApprovedReview,
  ApproveReviewBody,
  LockReview,
  ReviewedTool,
  ReviewFlag,
  Server,
  ServerList,
  ServerLogEntry,
  SignInUrl,
} from "../server/studio-api/schemas/servers.ts";
export type {
  ApiError,
  Caller,
  Count,
  LedgerLocation,
  Me,
  Page,
  Scope,
  Text,
  ValidationIssue,
} from "../server/studio-api/schemas/shared.ts";
export type {
  Catalog,
  ToolCallBody,
  ToolCallResult,
  ToolDetail,
  ToolFormat,
  ToolListItem,
  ToolMatch,
  ToolSearchResult,
  ToolSnippets,
  ValidateBody,
  Validation,
} from "../server/studio-api/schemas/tools.ts";
export { type Studio, type StudioRequest, studio } from "../server/studio-api/studio.ts";
export type { StudioAgent, StudioOptions } from "../server/studio-api/studio-options.ts";
