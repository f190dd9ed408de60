export { type AgentDefinition, agent } from "./agent/agent.ts";
export type { Price, TokenPrice } from "./agent/cost.ts";
export { agentsFromSpecs } from "./agent/from-specs.ts";
export type { LibrarySource } from "./agent/library.ts";
export type { RunOptions } from "./agent/run-options.ts";
export {
  anyOf,
  costBudget,
  maxTurns,
  type RunState,
  type StopPolicy,
  timeBudget,
  tokenBudget,
  toolCalled,
} from "./agent/stop.ts";
export { validateConversation } from "./agent/validate-conversation.ts";
export { type Violation, type ViolationCode, violations } from "./agent/violations.ts";
export type { BindFailure, BindMode, Bound } from "./catalog/library/binding.ts";
export { bindingText } from "./catalog/library/binding-text.ts";
export type { LibraryEntry } from "./catalog/library/entry.ts";
export { explainBinding } from "./catalog/library/explain-binding.ts";
export { library, type ToolLibrary } from "./catalog/library.ts";
export { type VariantOptions, variants } from "./catalog/variants.ts";
export { experiment } from "./experiment/experiment.ts";
export type {
  ExperimentInput,
  ExperimentOptions,
  ExperimentProgress,
  Judgment,
  Measure,
  RunOnce,
} from "./experiment/options.ts";
export { toReportHtml } from "./experiment/report-html.ts";
export type {
  ArmSummary,
  Comparison,
  Conclusion,
  Difference,
  ExperimentResult,
  MetricSummary,
  RunRecord,
  ToolProfile,
} from "./experiment/result.ts";
export { type Compatibility, type CompatibleOptions, isCompatible } from "./schema/compatible.ts";
export { estimateTokens } from "./text/estimate-tokens.ts";
export type {
  Agent,
  AgentEvent,
  AgentResponse,
  Library,
  RunStatus,
  ToolInvocation,
} from "./words/agent.ts";
export type {
  AssistantMessage,
  Message,
  SystemMessage,
  ToolMessage,
  UserMessage,
} from "./words/message.ts";
export type { ToolSearchOptions } from "./words/tool-search.ts";
