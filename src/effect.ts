export { Agents, type AgentsService } from "./agent/agents.ts";
export type { AgentRunOptions } from "./agent/read-run.ts";
export { Corridor, type ToolCorridor } from "./call/corridor.ts";
export { type StepOptions, Tools, type ToolsService } from "./call/tools-service.ts";
export { Registry, type ToolRegistry } from "./catalog/registry.ts";
export { type CredentialStore, Credentials } from "./credentials/credentials.ts";
export { fileTokenStore } from "./credentials/oauth/file-token-store.ts";
export { type InboundToken, inboundToken, type OutboundToken } from "./credentials/token.ts";
export { runExperiment } from "./experiment/run-experiment.ts";
export { Outside, type OutsideClient } from "./http/outside.ts";
export { TraceHeaders } from "./http/trace-headers.ts";
export { type MemoryLedgerOptions, memoryLedger } from "./ledger/memory.ts";
export { Policy, type PolicyEngine } from "./policy/policy.ts";
export { agentsLayer } from "./runtime/agents-layer.ts";
export { Audit, type AuditRecord, type AuditService } from "./runtime/audit.ts";
export { call } from "./runtime/call-tool.ts";
export { Configuration, configurationLayer } from "./runtime/configuration.ts";
export {
  corridorLayer,
  credentialsLayer,
  eventsLayer,
  ledgerLayer,
  outsideLayer,
  policyLayer,
  registryLayer,
  sandboxesLayer,
  type ToolServices,
  toolRuntimeLayer,
  toolsLayer,
} from "./runtime/live.ts";
export { Mcp, type McpService, mcpLayer } from "./runtime/mcp-layer.ts";
export { Offers, type OffersService, offersLayer } from "./runtime/offers-layer.ts";
export {
  type RuntimeOptions,
  type RuntimeParts,
  type RuntimeServices,
  runtimeLayer,
} from "./runtime/runtime-layer.ts";
export {
  InternalTools,
  internalToolsLayer,
  mergedRegistryLayer,
  OrgTools,
  orgToolsLayer,
  ProjectTools,
  projectToolsLayer,
  type ToolSources,
} from "./runtime/tool-sources.ts";
export type { ToolTypes, TypesOf } from "./runtime/tool-types.ts";
export { Sandboxes, type SandboxPool } from "./sandbox/sandboxes.ts";
export { type ApprovalDesk, Approver } from "./words/approval.ts";
export type { AnyToolError } from "./words/errors.ts";
export { type EventBus, Events } from "./words/event.ts";
export { Ledger, type LedgerStore } from "./words/ledger.ts";
export { CurrentPrincipal } from "./words/principal.ts";
