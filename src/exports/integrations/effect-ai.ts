/**
 * Integration with `effect/ai`: session tools as a toolkit, toolkits as Haft tools, and approvals in both
 * directions.
 */

export {
  type FromEffectAiTools,
  fromEffectAiTools,
  IdempotencyKey,
} from "../../integrations/effect-ai/from-tools.ts";
export { type SettledPrompt, settleApprovals } from "../../integrations/effect-ai/settle-approvals.ts";
export {
  type EffectAiTool,
  type EffectAiToolkit,
  type EffectAiTools,
  toEffectAiTools,
} from "../../integrations/effect-ai/to-tools.ts";
export type { IntegrationOptions, PausedCallRequest } from "../../integrations/session-tools.ts";
export type {
  ImportedTools,
  ImportLoss,
  ImportToolsOptions,
  ToolOverrides,
} from "../../tools/import-tool.ts";
