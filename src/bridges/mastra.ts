import { checkPackage } from "../platform/peer-packages.ts";

export type { BridgeOptions, PausedCallAnswer, PausedCallQuestion } from "./bridged-tool.ts";
export type { AboutTool, BridgeLoss, ForeignTools, FromOptions } from "./foreign-tool.ts";
export { fromMastraTools } from "./mastra/from-tools.ts";
export {
  type MastraQuestion,
  type MastraTool,
  type MastraTools,
  toMastraTools,
} from "./mastra/to-tools.ts";

checkPackage("@mastra/core", "haft/bridges/mastra needs");
