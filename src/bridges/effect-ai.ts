/** Haft in the loop of `effect/ai`: a session's tools as a toolkit, a toolkit's tools as Haft's, and approvals both ways. */
export type { BridgeOptions, PausedCallQuestion } from "./bridged-tool.ts";
export { fromEffectAiTools } from "./effect-ai/from-tools.ts";
export { type SettledPrompt, settleApprovals } from "./effect-ai/settle-approvals.ts";
export {
  type EffectAiTool,
  type EffectAiToolkit,
  type EffectAiTools,
  toEffectAiTools,
} from "./effect-ai/to-tools.ts";
export type { AboutTool, BridgeLoss, ForeignTools, FromOptions } from "./foreign-tool.ts";
