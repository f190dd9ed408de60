/** The Studio: a web page over a runtime and its ledger, and its HTTP API. */
export { type AppFrame, type AppFrameOptions, appFrame } from "../server/studio-api/apps/app-frame.ts";
export type { AgentLine, ChatBody, ChatEvent, StoppedChat } from "../server/studio-api/schemas/agents.ts";
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
  AppLine,
  AppOrigins,
  AppPage,
  AppReadBody,
  AppResource,
  AppResult,
  AppView,
} from "../server/studio-api/schemas/apps.ts";
export type { CallEnding, CallLine, TaintSource } from "../server/studio-api/schemas/call-lines.ts";
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
export type { ExperimentLine, FleetView } from "../server/studio-api/schemas/experiments.ts";
export type { LiveMessage, VerifyProgress, VerifyResult } from "../server/studio-api/schemas/live.ts";
export type {
  Bucket,
  CallFigures,
  GroupFigures,
  Overview,
  SampleInfo,
} from "../server/studio-api/schemas/overview.ts";
export type {
  ExplainBody,
  ExplainedRule,
  NamedPrincipal,
  Right,
  RightCircumstance,
  RightEffect,
  RightExplained,
  Rights,
  RuleState,
} from "../server/studio-api/schemas/rights.ts";
export type {
  ReplayBody,
  ReplayResult,
  Run,
  RunAction,
  RunLine,
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
  ServerLogLine,
  SignInAddress,
} from "../server/studio-api/schemas/servers.ts";
export type {
  ApiError,
  Caller,
  Count,
  Finding,
  LedgerPlace,
  Me,
  Page,
  Scope,
  Text,
} from "../server/studio-api/schemas/shared.ts";
export type {
  Catalog,
  ToolCallBody,
  ToolCallResult,
  ToolCopies,
  ToolDetail,
  ToolFormat,
  ToolLine,
  ToolMatch,
  ToolSearchResult,
  ValidateBody,
  Validation,
} from "../server/studio-api/schemas/tools.ts";
export { type Studio, type StudioRequest, studio } from "../server/studio-api/studio.ts";
export type { StudioAgent, StudioOptions } from "../server/studio-api/studio-options.ts";
