import { checkPackage } from "../../base/platform/peer-packages.ts";

export {
  type FromLangChainTools,
  fromLangChainTools,
  type LangChainTool,
} from "../../integrations/langchain/from-tools.ts";
export type { HaftTool } from "../../integrations/langchain/haft-tool.ts";
export {
  type HaftMiddleware,
  haftMiddleware,
  type MiddlewareOptions,
} from "../../integrations/langchain/middleware.ts";
export { type LangChainTools, toLangChainTools } from "../../integrations/langchain/to-tools.ts";
export type {
  IntegrationOptions,
  PausedCallAnswer,
  PausedCallRequest,
} from "../../integrations/session-tools.ts";
export type { ImportedTools, ImportLoss, ImportToolsOptions } from "../../tools/import-tool.ts";

checkPackage("@langchain/core", "haft/integrations/langchain needs");
