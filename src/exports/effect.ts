export { Agents, type AgentsService } from "../agent/agents.ts";
export { runExperiment } from "../agent/experiments/run-experiment.ts";
export type { AgentRunOptions } from "../agent/read-run.ts";
export { type CredentialStore, Credentials } from "../base/credentials/credentials.ts";
export { fileTokenStore } from "../base/credentials/oauth/file-token-store.ts";
export { type InboundToken, inboundToken, type OutboundToken } from "../base/credentials/token.ts";
export { HttpEgress, type HttpEgressClient } from "../base/http/http-egress.ts";
export { TraceHeaders } from "../base/http/trace-headers.ts";
export { type MemoryLedgerOptions, memoryLedger } from "../ledger/memory.ts";
export { Pipeline, type ToolPipeline } from "../pipeline/pipeline.ts";
export { type StepOptions, Tools, type ToolsService } from "../pipeline/tools-service.ts";
export { Policy, type PolicyEngine } from "../policy/engine.ts";
export { Registry, type ToolRegistry } from "../registry/tool-registry.ts";
export { agentsLayer } from "../runtime/agents-layer.ts";
export { Audit, type AuditRecord, type AuditService } from "../runtime/audit.ts";
export { call } from "../runtime/call-tool.ts";
export { Configuration, configurationLayer } from "../runtime/configuration.ts";
export { Mcp, type McpService, mcpLayer } from "../runtime/mcp-layer.ts";
export { Offers, type OffersService, offersLayer } from "../runtime/offers-layer.ts";
export { getTool, listTools, registerTool, unregisterTool } from "../runtime/registry-operations.ts";
export {
  type RuntimeOptions,
  type RuntimeParts,
  type RuntimeServices,
  runtimeLayer,
} from "../runtime/runtime-layer.ts";
export {
  credentialsLayer,
  eventsLayer,
  httpEgressLayer,
  ledgerLayer,
  pipelineLayer,
  policyLayer,
  registryLayer,
  sandboxesLayer,
  type ToolServices,
  toolRuntimeLayer,
  toolsLayer,
} from "../runtime/tool-runtime-layer.ts";
export {
  InternalTools,
  internalToolsLayer,
  mergedRegistryLayer,
  OrgTools,
  orgToolsLayer,
  ProjectTools,
  projectToolsLayer,
  type ToolSources,
} from "../runtime/tool-sources.ts";
export type { ToolTypes, TypesOf } from "../runtime/tool-types.ts";
export { Sandboxes, type SandboxPool } from "../sandbox/sandboxes.ts";
export { Approver, type ApproverService } from "../types/approval.ts";
export type { AnyToolError } from "../types/errors.ts";
export { type EventBus, Events } from "../types/event.ts";
export { Ledger, type LedgerStore } from "../types/ledger.ts";
export { CurrentPrincipal } from "../types/principal.ts";
