import { checkPackage } from "../../base/platform/peer-packages.ts";

export { fromOpenAiAgentsTools } from "../../integrations/openai-agents/from-tools.ts";
export { haftModel } from "../../integrations/openai-agents/haft-model.ts";
export {
  type AgentsRunState,
  type SettleOptions,
  settleRunState,
  type WaitingCall,
} from "../../integrations/openai-agents/settle-run-state.ts";
export {
  type OpenAiAgentsTool,
  type OpenAiAgentsTools,
  toOpenAiAgentsTools,
} from "../../integrations/openai-agents/to-tools.ts";
export type { IntegrationOptions, PausedCallRequest } from "../../integrations/session-tools.ts";
export type {
  ImportedTools,
  ImportLoss,
  ImportToolsOptions,
  ToolOverrides,
} from "../../tools/import-tool.ts";

checkPackage("@openai/agents", "haft/integrations/openai-agents needs");
