export type { Explanation } from "./catalog/explain.ts";
export type { ToolFilter } from "./catalog/filter.ts";
export type { Place } from "./catalog/place.ts";
export { type Workspace, workspace } from "./catalog/workspace.ts";
export type { ToolDefinition } from "./define/definition.ts";
export { fromFunction } from "./define/from-function.ts";
export { type HttpOptions, http } from "./define/http.ts";
export { tool } from "./define/tool.ts";
export type { Loss } from "./dialects/export.ts";
export type { Format } from "./dialects/formats.ts";
export type { Offer } from "./offer/offer.ts";
export { credentials } from "./outside/credentials.ts";
export type { PolicyOptions } from "./policy/policy.ts";
export type { Rule } from "./policy/rule.ts";
export { type Config, type ConfigInput, configFromEnvironment } from "./runtime/config.ts";
export type { ToolInput, ToolOutput } from "./runtime/envelope.ts";
export { Haft } from "./runtime/haft.ts";
export type { Offering } from "./runtime/offering.ts";
export type { AskPerson, HaftOptions } from "./runtime/options.ts";
export type { CallOptions, TurnOptions } from "./runtime/tools.ts";
export type { ApprovalDecision, ApprovalRequest } from "./words/approval.ts";
export type { CallContext, RawCall } from "./words/call.ts";
export {
  ConfigurationError,
  CredentialsError,
  LedgerError,
  MCPConnectionError,
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
  ToolInputValidationError,
  ToolLayerError,
  ToolNotFoundError,
  ToolOutputValidationError,
  ToolOverloadedError,
  ToolRegistrationError,
  ToolTimeoutError,
  ToolUnavailableError,
} from "./words/errors.ts";
export type { EventMap, EventName } from "./words/event.ts";
export { type Failure, type FailureCode, failures } from "./words/failure.ts";
export type { Issue, JsonSchema } from "./words/json.ts";
export type { LedgerEntry, LedgerStore } from "./words/ledger.ts";
export { final, handoff, type Outcome, rewrite } from "./words/outcome.ts";
export type { Principal } from "./words/principal.ts";
export type { Reply } from "./words/reply.ts";
export type { Annotations, Category, Risk, ToolSpec } from "./words/spec.ts";
export type { Implementation, Tool } from "./words/tool.ts";
