export { Agents, type AgentsService } from "./agent/agents.ts";
export type { AgentRunOptions } from "./agent/read-run.ts";
export { Corridor, type ToolCorridor } from "./call/corridor.ts";
export { type StepOptions, Tools, type ToolsService } from "./call/tools.ts";
export { Registry, type ToolRegistry } from "./catalog/registry.ts";
export { type CredentialStore, Credentials } from "./credentials/credentials.ts";
export { fileTokenStore } from "./credentials/oauth/file-token-store.ts";
export { type InboundToken, inboundToken, type OutboundToken } from "./credentials/token.ts";
export { runExperiment } from "./experiment/run-experiment.ts";
export { Outside, type OutsideClient } from "./http/outside.ts";
export { TraceHeaders } from "./http/trace-headers.ts";
export { type MemoryLedgerOptions, memoryLedger } from "./ledger/memory.ts";
export { Policy, type PolicyEngine } from "./policy/policy.ts";
export { agentsLayer, type RuntimeServices, runtimeLayer } from "./runtime/agents-layer.ts";
export {
  Configuration,
  configurationLayer,
  corridorLayer,
  credentialsLayer,
  eventsLayer,
  ledgerLayer,
  outsideLayer,
  policyLayer,
  registryLayer,
  type ToolServices,
  toolRuntimeLayer,
  toolsLayer,
} from "./runtime/live.ts";
export { type ApprovalDesk, Approver } from "./words/approval.ts";
export { type EventBus, Events } from "./words/event.ts";
export { Ledger, type LedgerStore } from "./words/ledger.ts";
export { CurrentPrincipal } from "./words/principal.ts";
