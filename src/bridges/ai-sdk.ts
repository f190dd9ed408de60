import { checkPackage } from "../platform/peer-packages.ts";

/** Haft in the loop of the AI SDK: a session's tools as its tools, its tools as Haft's, and approvals both ways. */
export { fromAiSdkTools } from "./ai-sdk/from-tools.ts";
export { haftModel } from "./ai-sdk/model.ts";
export { type SettledMessages, settleApprovals } from "./ai-sdk/settle-approvals.ts";
export { type AiSdkTools, toAiSdkTools } from "./ai-sdk/to-tools.ts";
export type { BridgeOptions, PausedCallQuestion } from "./bridged-tool.ts";
export type { AboutTool, BridgeLoss, ForeignTools, FromOptions } from "./foreign-tool.ts";

checkPackage("ai", "haft/bridges/ai-sdk needs");
