export { type AgentDefinition, agent } from "../agent/agent.ts";
export { agentsFromSpecs } from "../agent/agents-from-specs.ts";
export type { Price, TokenPrice } from "../agent/cost.ts";
export type {
  ArmSummary,
  Comparison,
  Conclusion,
  Difference,
  ExperimentResult,
  ExperimentRun,
  MetricSummary,
  ToolProfile,
} from "../agent/experiments/experiment-result.ts";
export type {
  ExperimentInput,
  ExperimentOptions,
  ExperimentProgress,
  Measure,
  RunOnce,
  RunScore,
} from "../agent/experiments/options.ts";
export { toReportHtml } from "../agent/experiments/report-html.ts";
export { experiment } from "../agent/experiments/run-experiment.ts";
export type { RunOptions } from "../agent/run-options.ts";
export {
  anyOf,
  costBudget,
  maxTurns,
  type RunState,
  type StopPolicy,
  timeBudget,
  tokenBudget,
  toolCalled,
} from "../agent/stop-policies.ts";
export type { LibrarySource } from "../agent/to-library.ts";
export { validateConversation } from "../agent/validate-conversation.ts";
export { type Violation, type ViolationCode, violations } from "../agent/violations.ts";
export { type Compatibility, type CompatibleOptions, isCompatible } from "../base/schema/is-compatible.ts";
export { estimateTokens } from "../base/text/estimate-tokens.ts";
export { explainBinding } from "../registry/library/explain-binding.ts";
export {
  type BindFailure,
  type BindMode,
  type BoundTool,
  bindingText,
  type LibraryEntry,
} from "../registry/library/library-entry.ts";
export { library, type ToolLibrary } from "../registry/library.ts";
export { type VariantOptions, variants } from "../registry/variants.ts";
export type {
  Agent,
  AgentEvent,
  AgentResponse,
  Library,
  RunStatus,
  ToolInvocation,
} from "../types/agent.ts";
export type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "../types/message.ts";
export type { ToolSearchOptions } from "../types/tool-search.ts";
