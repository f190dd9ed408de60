export { type AgentDefinition, agent } from "../agent/agent.ts";
export type { AgentStream } from "../agent/agent-stream.ts";
export type { RunOptions } from "../agent/run-options.ts";
export type { StopPolicy } from "../agent/stop-policies.ts";
export type { LibrarySource } from "../agent/to-library.ts";
export { type CredentialsOptions, credentials } from "../base/credentials/credentials.ts";
export type { OAuthCredential } from "../base/credentials/oauth/oauth-credential.ts";
export type { SignIn, SignInAnswer } from "../base/credentials/oauth/sign-in.ts";
export type { StoredToken, TokenStore } from "../base/credentials/oauth/token-store.ts";
export type { SecretSource } from "../base/credentials/secret-source.ts";
export type { HttpEgressOptions } from "../base/http/open-http-egress.ts";
export type { ExportLoss } from "../models/dialects/exporter.ts";
export type { Format } from "../models/dialects/formats.ts";
export { type HydrateOptions, type HydrateReturn, hydrate } from "../pipeline/1-hydrate/hydrate-arguments.ts";
export type { ToolInput, ToolOutput } from "../pipeline/envelope.ts";
export type { SettlementFinding } from "../pipeline/settle.ts";
export type {
  CallOptions,
  ResumeOptions,
  SingleCallOptions,
  TurnOptions,
} from "../pipeline/tools-service.ts";
export type { Decision } from "../policy/decide-case.ts";
export type { PolicyEngine } from "../policy/engine.ts";
export type { InjectionMode, InjectionOptions } from "../policy/lineage/injection-guard.ts";
export type { KnownTargets } from "../policy/lineage/known-targets.ts";
export type { PolicyOptions } from "../policy/options.ts";
export { narrow } from "../policy/options.ts";
export type { Rule } from "../policy/rule.ts";
export type { Explanation } from "../registry/name-resolver.ts";
export type { Offer } from "../registry/offer/offer.ts";
export type { ListedTool, ToolFilter, ToolPlace } from "../registry/place.ts";
export type { PickedTool, PickOptions, Scorer } from "../registry/selection/pick-options.ts";
export { pickTools } from "../registry/selection/pick-tools.ts";
export {
  type ToolboxBuilder,
  type Workspace,
  type WorkspaceBuilder,
  workspace,
} from "../registry/workspace.ts";
export { type Config, type ConfigInput, configFromEnvironment } from "../runtime/config.ts";
export type { FormattedOffer, OfferOptions, QueriedOfferOptions } from "../runtime/formatted-offer.ts";
export { Haft } from "../runtime/haft.ts";
export type { ApprovalHandler, HaftOptions } from "../runtime/haft-options.ts";
export type { McpOptions } from "../runtime/mcp-options.ts";
export type { McpServers } from "../runtime/mcp-servers.ts";
export type {
  SessionModel,
  SessionModelOptions,
  SessionModelRequest,
} from "../runtime/session/session-model.ts";
export type { SessionOptions } from "../runtime/session/session-options.ts";
export type {
  SessionCallStatus,
  SessionProgress,
  SessionTurnOptions,
} from "../runtime/session/session-turn.ts";
export type { Session } from "../runtime/session.ts";
export { defineConfig, type HaftConfig } from "../server/gateway/define-config.ts";
export { type ClassDescription, definitionOf, Tool, ToolComponent } from "../tools/decorator.ts";
export { fromFunction } from "../tools/from-function.ts";
export { type HttpOptions, http } from "../tools/http.ts";
export { tool } from "../tools/tool.ts";
export type { KeyDefinition, ToolDefinition } from "../tools/tool-definition.ts";
export type {
  Agent,
  AgentEvent,
  AgentResponse,
  Library,
  RunInput,
  RunStatus,
  ToolInvocation,
} from "../types/agent.ts";
export type {
  ApprovalDecision,
  ApprovalQuery,
  ApprovalRecord,
  ApprovalRequest,
  ApprovalScope,
  ApprovalStatus,
  ApprovalStore,
} from "../types/approval.ts";
export type { CallContext, RawCall, RunBudget, ToolFunction } from "../types/call.ts";
export {
  type AnyToolError,
  ConfigurationError,
  CredentialsError,
  DefinitionChangedError,
  HttpEgressError,
  LedgerError,
  MCPConnectionError,
  ModelError,
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
} from "../types/errors.ts";
export type { EventMap, EventName, Listener } from "../types/event.ts";
export type { Failure } from "../types/failure.ts";
export { type FailureCode, failures } from "../types/failures.ts";
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
} from "../types/hydration.ts";
export type { Issue, JsonSchema } from "../types/json.ts";
export type {
  EntryClosing,
  EntryEnding,
  EntryOpening,
  EntryTexts,
  KeyScope,
  LedgerEntry,
  LedgerQuery,
  LedgerStore,
  Settlement,
} from "../types/ledger.ts";
export type {
  ApprovedCall,
  ArgumentRole,
  ArgumentRoles,
  PlannedUse,
  RunLineage,
  RunPlan,
  RunText,
  ValueSource,
} from "../types/lineage.ts";
export type {
  McpServer,
  McpServerState,
  McpStatus,
  McpToolOverrides,
  NamedMcpServer,
} from "../types/mcp.ts";
export {
  type AssistantMessage,
  type ContentPart,
  type DataPart,
  type LinkPart,
  type MediaKind,
  type MediaNote,
  type MediaPart,
  type Message,
  type ProviderEcho,
  type SystemMessage,
  type TextPart,
  type ToolMessage,
  textOf,
  type UserMessage,
} from "../types/message.ts";
export type {
  AcceptedMedia,
  FinishReason,
  Model,
  ModelEvent,
  ModelOptions,
  ModelReply,
  ModelRequest,
  ModelSettings,
  ModelTool,
  OmittedPart,
  Usage,
} from "../types/model.ts";
export {
  type FailureOutcome,
  type Flow,
  final,
  handoff,
  type MediaInput,
  type Outcome,
  type PendingOutcome,
  type Reply,
  rewrite,
  type ValueOutcome,
  withMedia,
} from "../types/outcome.ts";
export type { PolicyProblem, PolicyProblemCode } from "../types/policy-problem.ts";
export type { Principal } from "../types/principal.ts";
export type { CancelResult, RunQuery, RunRecord, RunStore, RunSummary } from "../types/run-store.ts";
export type {
  Annotations,
  AnyTool,
  Category,
  EffectKey,
  Implementation,
  NoSchemaMode,
  ReconcileContext,
  ReconcileResult,
  Risk,
  ToolMeta,
  ToolOrigin,
  ToolSource,
  ToolSpec,
  Validation,
  Validator,
} from "../types/tool.ts";
export type { ToolSearchOptions } from "../types/tool-search.ts";
