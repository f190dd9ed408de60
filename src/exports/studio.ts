/** A page over a runtime and its ledger: every call, every question, every tool; and the HTTP API that the page uses. */
export { type AppFrame, type AppFrameOptions, appFrame } from "./studio/apps/app-frame.ts";
export { type Studio, type StudioVisit, studio } from "./studio/studio.ts";
export type { StudioAgent, StudioOptions } from "./studio/studio-options.ts";
export type { AgentLine, ChatBody, ChatEvent, StoppedChat } from "./studio/words/agents.ts";
export type {
  AnswerBody,
  AnswerResult,
  AnswerResults,
  AnswersBody,
  Approval,
  ApprovalDetail,
  ApprovalState,
} from "./studio/words/approvals.ts";
export type {
  AppCallBody,
  AppCallResult,
  AppLine,
  AppPage,
  AppReach,
  AppReadBody,
  AppResource,
  AppResult,
  AppView,
} from "./studio/words/apps.ts";
export type {
  Call,
  CallAttempt,
  CallChange,
  CallEnding,
  CallLine,
  CallMedia,
  CallRow,
  StageState,
  Stages,
  TaintSource,
} from "./studio/words/calls.ts";
export type { ExperimentLine, FleetView } from "./studio/words/experiments.ts";
export type { LiveMessage, VerifyProgress, VerifyResult } from "./studio/words/live.ts";
export type { Bucket, CallFigures, GroupFigures, Looked, Overview } from "./studio/words/overview.ts";
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
} from "./studio/words/rights.ts";
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
} from "./studio/words/runs.ts";
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
} from "./studio/words/servers.ts";
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
} from "./studio/words/shared.ts";
export type {
  Catalog,
  FoundLine,
  ToolCallBody,
  ToolCallResult,
  ToolCopies,
  ToolDetail,
  ToolFormat,
  ToolLine,
  ToolSearchResult,
  ValidateBody,
  Validation,
} from "./studio/words/tools.ts";
