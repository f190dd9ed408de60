import { checkPackage } from "../../base/platform/peer-packages.ts";

export {
  type FromMastraTools,
  fromMastraTools,
  type HaftExecutionContext,
} from "../../integrations/mastra/from-tools.ts";
export {
  type MastraApprovalRequest,
  type MastraTool,
  type MastraTools,
  toMastraTools,
} from "../../integrations/mastra/to-tools.ts";
export type {
  IntegrationOptions,
  PausedCallAnswer,
  PausedCallRequest,
} from "../../integrations/session-tools.ts";
export type {
  ImportedTools,
  ImportLoss,
  ImportToolsOptions,
  ToolOverrides,
} from "../../tools/import-tool.ts";

checkPackage("@mastra/core", "haft/integrations/mastra needs");
