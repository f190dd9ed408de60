import type { ScenarioResult } from "./read-checks.ts";

/** The tool that each scenario calls, which must be in the ledger. */
const toolByScenario: Readonly<Record<string, string>> = {
  "tools-call-simple-text": "test_simple_text",
  "tools-call-image": "test_image_content",
  "tools-call-audio": "test_audio_content",
  "tools-call-embedded-resource": "test_embedded_resource",
  "tools-call-mixed-content": "test_multiple_content_types",
  "tools-call-with-logging": "test_tool_with_logging",
  "tools-call-error": "test_error_handling",
  "tools-call-with-progress": "test_tool_with_progress",
  "tools-call-sampling": "test_sampling",
  "tools-call-elicitation": "test_elicitation",
  "elicitation-sep1034-defaults": "test_elicitation_sep1034_defaults",
  "elicitation-sep1330-enums": "test_elicitation_sep1330_enums",
  "server-sse-polling": "test_reconnection",
  "server-stateless": "test_logging_tool",
  "input-required-result-basic-elicitation": "test_input_required_result_elicitation",
  "input-required-result-basic-sampling": "test_input_required_result_sampling",
  "input-required-result-basic-list-roots": "test_input_required_result_list_roots",
  "input-required-result-request-state": "test_input_required_result_request_state",
  "input-required-result-multiple-input-requests": "test_input_required_result_multiple_inputs",
  "input-required-result-multi-round": "test_input_required_result_multi_round",
  "input-required-result-capability-check": "test_input_required_result_capabilities",
  "tasks-lifecycle": "slow_compute",
  "tasks-mrtr-input": "confirm_delete",
  "http-custom-header-server-validation": "test_custom_header",
};

/** Scenarios whose tool is not in the ledger. */
export const findUnrecordedTools = (
  verdicts: ReadonlyMap<string, ScenarioResult>,
  recorded: ReadonlyMap<string, number>,
): readonly string[] =>
  Object.entries(toolByScenario)
    .filter(([scenario, tool]) => verdicts.has(scenario) && !recorded.has(tool))
    .map(([scenario, tool]) => `${scenario} called ${tool}, and the ledger has no entry of it`);
