import { checkPackage } from "../../base/platform/peer-packages.ts";

/** Integration with the AI SDK: session tools, imported tools, and approvals in both directions. */
export {
  type FromAiSdkTools,
  fromAiSdkTools,
  type HaftExecutionOptions,
} from "../../integrations/ai-sdk/from-tools.ts";
export { haftModel } from "../../integrations/ai-sdk/haft-model.ts";
export { type SettledMessages, settleApprovals } from "../../integrations/ai-sdk/settle-approvals.ts";
export {
  type SettleChatOptions,
  type SettledChat,
  settleUIMessages,
} from "../../integrations/ai-sdk/settle-ui-messages.ts";
export {
  type AiSdkApprovalStatus,
  type AiSdkToolApproval,
  type AiSdkTools,
  toAiSdkTools,
  toolApproval,
} from "../../integrations/ai-sdk/to-tools.ts";
export type { IntegrationOptions, PausedCallRequest } from "../../integrations/session-tools.ts";
export type {
  ImportedTools,
  ImportLoss,
  ImportToolsOptions,
  ToolOverrides,
} from "../../tools/import-tool.ts";

checkPackage("ai", "haft/integrations/ai-sdk needs");
