export { type AgentDefinition, agent } from "./agent/agent.ts";
export type { AgentStream } from "./agent/agent-stream.ts";
export type { LibrarySource } from "./agent/library.ts";
export type { RunOptions } from "./agent/run-options.ts";
export type { StopPolicy } from "./agent/stop.ts";
export { type Hydrated, type HydrateOptions, hydrate } from "./call/1-hydrate/hydrate-call.ts";
export type { ToolInput, ToolOutput } from "./call/envelope.ts";
export type { CallOptions, OneCallOptions, ResumeOptions, TurnOptions } from "./call/tools-service.ts";
export type { Explanation } from "./catalog/explain.ts";
export type { ListedTool, ToolFilter } from "./catalog/filter.ts";
export type { Offer } from "./catalog/offer/offer.ts";
export type { Place } from "./catalog/place.ts";
export {
  type ToolboxBuilder,
  type Workspace,
  type WorkspaceBuilder,
  workspace,
} from "./catalog/workspace.ts";
export { type CredentialsOptions, credentials } from "./credentials/credentials.ts";
export type { OAuthCredential } from "./credentials/oauth/oauth-credential.ts";
export type { SignIn, SignInAnswer } from "./credentials/oauth/sign-in.ts";
export type { StoredToken, TokenStore } from "./credentials/oauth/token-store.ts";
export type { SecretSource } from "./credentials/secret-source.ts";
export type { Loss } from "./dialects/export.ts";
export type { Format } from "./dialects/formats.ts";
export { defineConfig, type HaftConfig } from "./gateway/define-config.ts";
export type { OutsideOptions } from "./http/client.ts";
export { narrow } from "./policy/narrow.ts";
export type { PolicyEngine, PolicyOptions } from "./policy/policy.ts";
export type { Rule } from "./policy/rule.ts";
export { type Config, type ConfigInput, configFromEnvironment } from "./runtime/config.ts";
export { Haft } from "./runtime/haft.ts";
export type { McpDoor } from "./runtime/mcp-door.ts";
export type { McpOptions } from "./runtime/mcp-options.ts";
export type { Offering, OfferOptions, QueriedOfferOptions } from "./runtime/offering.ts";
export type { AskPerson, HaftOptions } from "./runtime/options.ts";
export type { SessionModel, SessionModelOptions, SessionQuestion } from "./runtime/session/session-model.ts";
export type { SessionOptions } from "./runtime/session/session-options.ts";
export type { CallStanding, SessionProgress, SessionTurnOptions } from "./runtime/session/session-turn.ts";
export type { Session } from "./runtime/session.ts";
export type { Picked, PickOptions, Scorer } from "./selection/pick-options.ts";
export { pickTools } from "./selection/pick-tools.ts";
export { type ClassDescription, definitionOf, Tool } from "./tool/decorator.ts";
export type { ToolDefinition } from "./tool/definition.ts";
export { fromFunction } from "./tool/from-function.ts";
export { type HttpOptions, http } from "./tool/http.ts";
export { tool } from "./tool/tool.ts";
export { ToolComponent } from "./tool/tool-component.ts";
export type {
  Agent,
  AgentEvent,
  AgentResponse,
  Library,
  RunInput,
  RunStatus,
  ToolInvocation,
} from "./words/agent.ts";
export type {
  ApprovalBook,
  ApprovalDecision,
  ApprovalQuery,
  ApprovalRecord,
  ApprovalRequest,
  ApprovalScope,
  ApprovalStatus,
} from "./words/approval.ts";
export type { CallContext, RawCall, Run, RunBudget } from "./words/call.ts";
export {
  type ContentPart,
  type DataPart,
  type LinkPart,
  type MediaKind,
  type MediaNote,
  type MediaPart,
  type TextPart,
  textOf,
} from "./words/content.ts";
export {
  type AnyToolError,
  ConfigurationError,
  CredentialsError,
  DefinitionChangedError,
  LedgerError,
  MCPConnectionError,
  ModelError,
  OutsideError,
  SandboxError,
  ToolApprovalError,
  ToolAuthorizationError,
  ToolBindingError,
  ToolCancelledError,
  ToolDefinitionError,
  ToolError,
  ToolExecutionError,
  ToolHydrationError,
  ToolIdempotencyError,
  ToolInputValidationError,
  ToolLayerError,
  ToolNotFoundError,
  ToolOutputValidationError,
  ToolOverloadedError,
  ToolRegistrationError,
  ToolTimeoutError,
  ToolUnavailableError,
} from "./words/errors.ts";
export type { EventMap, EventName, Listener } from "./words/event.ts";
export type { Failure } from "./words/failure.ts";
export { type FailureCode, failures } from "./words/failures.ts";
export type {
  Change,
  HydratedTool,
  HydrationError,
  HydrationResult,
  Provenance,
  ProvenanceNote,
  Repairer,
  RepairMode,
  RepairQuestion,
  ValidatorNote,
} from "./words/hydration.ts";
export type { Issue, JsonSchema } from "./words/json.ts";
export type {
  Closing,
  Ending,
  LedgerEntry,
  LedgerQuery,
  LedgerStore,
  Opening,
  Recalled,
} from "./words/ledger.ts";
export type {
  McpServer,
  McpServerState,
  McpStatus,
  McpToolTerms,
  NamedServer,
} from "./words/mcp.ts";
export type {
  AssistantMessage,
  Echo,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "./words/message.ts";
export type {
  Finish,
  LostPart,
  Model,
  ModelEvent,
  ModelOptions,
  ModelReply,
  ModelRequest,
  ModelSettings,
  RequestTool,
  TakenMedia,
  Usage,
} from "./words/model.ts";
export {
  type Failed,
  type Flow,
  final,
  type GivenMedia,
  handoff,
  type Outcome,
  type Pending,
  rewrite,
  type Value,
  withMedia,
} from "./words/outcome.ts";
export type { Principal } from "./words/principal.ts";
export type { Reply } from "./words/reply.ts";
export type { GivenUp, RunBook, RunQuery, RunRecord, RunSummary } from "./words/run-book.ts";
export type {
  Annotations,
  Category,
  NoSchemaMode,
  Risk,
  ToolMeta,
  ToolSource,
  ToolSpec,
} from "./words/spec.ts";
export type { AnyTool, Implementation, Origin } from "./words/tool.ts";
export type { ToolSearchOptions } from "./words/tool-search.ts";
export type { Validation, Validator } from "./words/validator.ts";
