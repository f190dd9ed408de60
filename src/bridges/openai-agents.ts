import { checkPackage } from "../platform/peer-packages.ts";

export type { BridgeOptions, PausedCallQuestion } from "./bridged-tool.ts";
export type { AboutTool, BridgeLoss, ForeignTools, FromOptions } from "./foreign-tool.ts";
export { fromOpenAiAgentsTools } from "./openai-agents/from-tools.ts";
export { haftModel } from "./openai-agents/model.ts";
export {
  type AgentsRunState,
  type SettleOptions,
  settleRunState,
  type WaitingCall,
} from "./openai-agents/settle-run-state.ts";
export {
  type OpenAiAgentsTool,
  type OpenAiAgentsTools,
  toOpenAiAgentsTools,
} from "./openai-agents/to-tools.ts";

checkPackage("@openai/agents", "haft/bridges/openai-agents needs");
