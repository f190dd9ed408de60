import { checkPackage } from "../platform/peer-packages.ts";

export type { BridgeOptions, PausedCallAnswer, PausedCallQuestion } from "./bridged-tool.ts";
export type { BridgeLoss, ForeignTools, FromOptions } from "./foreign-tool.ts";
export { fromLangChainTools, type LangChainTool } from "./langchain/from-tools.ts";
export type { HaftTool } from "./langchain/haft-tool.ts";
export { type HaftMiddleware, haftMiddleware, type MiddlewareOptions } from "./langchain/middleware.ts";
export { type LangChainTools, toLangChainTools } from "./langchain/to-tools.ts";

checkPackage("@langchain/core", "haft/bridges/langchain needs");
