export type Stage =
  | "hydrate"
  | "bind"
  | "authorize"
  | "layers"
  | "run"
  | "check"
  | "record"
  | "reply"
  | "define";

export type ErrorName =
  | "ToolHydrationError"
  | "ToolNotFoundError"
  | "ToolAuthorizationError"
  | "ToolInputValidationError"
  | "ToolBindingError"
  | "ToolApprovalError"
  | "ToolCancelledError"
  | "ToolOverloadedError"
  | "ToolUnavailableError"
  | "ToolLayerError"
  | "ToolTimeoutError"
  | "ToolExecutionError"
  | "OutsideError"
  | "MCPConnectionError"
  | "SandboxError"
  | "CredentialsError"
  | "ModelError"
  | "ToolOutputValidationError"
  | "LedgerError"
  | "ToolDefinitionError"
  | "ToolRegistrationError"
  | "ConfigurationError";

interface Row {
  /** Name of the error class that carries it through the promise door. */
  readonly error: ErrorName;
  readonly stage: Stage;
  /** Trying again may help, provided the tool did not run or is idempotent. */
  readonly retryable: boolean;
  /** Who may read the message: an operator's failure reaches the model as a plain sentence. */
  readonly reader: "model" | "operator";
  readonly meaning: string;
}

const row = (
  error: ErrorName,
  stage: Stage,
  retryable: boolean,
  reader: Row["reader"],
  meaning: string,
): Row => ({
  error,
  stage,
  retryable,
  reader,
  meaning,
});

/** Every way a call or a definition can fail. `docs/errors.md` is generated from this table. */
export const failures = {
  unreadable_call: row(
    "ToolHydrationError",
    "hydrate",
    false,
    "model",
    "What arrived is not a call: it lacks an id or a tool name.",
  ),
  unknown_tool: row(
    "ToolNotFoundError",
    "hydrate",
    false,
    "model",
    "No tool has this name; the message lists near ones.",
  ),
  ambiguous_tool: row(
    "ToolNotFoundError",
    "hydrate",
    false,
    "model",
    "A short name fits several tools of one source; the message lists their full names.",
  ),
  not_visible: row(
    "ToolAuthorizationError",
    "hydrate",
    false,
    "model",
    "The caller may not see this tool, whatever its arguments.",
  ),
  unreadable_input: row(
    "ToolHydrationError",
    "hydrate",
    false,
    "model",
    "The arguments are not strict JSON: a syntax error, a duplicate key, a forbidden key, a number that would lose digits, or too deep or too large.",
  ),
  invalid_input: row(
    "ToolInputValidationError",
    "hydrate",
    false,
    "model",
    "The arguments break the tool's input schema; each issue has a JSON pointer.",
  ),
  not_bound: row(
    "ToolBindingError",
    "bind",
    false,
    "operator",
    "The spec has no implementation that can answer it.",
  ),
  denied: row(
    "ToolAuthorizationError",
    "authorize",
    false,
    "model",
    "Policy refuses this caller, this tool or these arguments.",
  ),
  approval_required: row(
    "ToolApprovalError",
    "authorize",
    false,
    "model",
    "A person must approve the call: nobody can be asked, or, from haft.call, the answer is still to come.",
  ),
  approval_denied: row(
    "ToolApprovalError",
    "authorize",
    false,
    "model",
    "A person, or an approval layer, said no.",
  ),
  unreadable_decision: row(
    "ToolApprovalError",
    "authorize",
    false,
    "operator",
    "An answer to an approval is neither allow, deny nor edit; the call goes on waiting.",
  ),
  unknown_approval: row(
    "ToolApprovalError",
    "authorize",
    false,
    "operator",
    "No call waits for this approval: it was answered, or it is another caller's.",
  ),
  not_answered: row(
    "ToolCancelledError",
    "layers",
    false,
    "model",
    "The turn stopped before this call was started.",
  ),
  cancelled: row("ToolCancelledError", "layers", false, "model", "The caller cancelled the call."),
  overloaded: row(
    "ToolOverloadedError",
    "layers",
    true,
    "model",
    "The limit on calls in flight, calls waiting or calls per time is reached.",
  ),
  circuit_open: row(
    "ToolUnavailableError",
    "layers",
    true,
    "model",
    "The tool failed so often that its breaker keeps calls away for a while.",
  ),
  layer_broke: row("ToolLayerError", "layers", false, "operator", "A layer threw instead of answering."),
  timed_out: row(
    "ToolTimeoutError",
    "run",
    true,
    "model",
    "The tool did not answer in time and was stopped.",
  ),
  failed: row(
    "ToolExecutionError",
    "run",
    true,
    "model",
    "The tool said no: it failed with an error of its own.",
  ),
  crashed: row(
    "ToolExecutionError",
    "run",
    false,
    "operator",
    "The tool broke: it died of something it did not expect.",
  ),
  outside_refused: row(
    "OutsideError",
    "run",
    false,
    "model",
    "The outgoing client refused the address, the headers, the redirect, or the size of the answer.",
  ),
  mcp_unreachable: row(
    "MCPConnectionError",
    "run",
    true,
    "model",
    "The MCP server behind the tool cannot be reached.",
  ),
  sandbox_failed: row(
    "SandboxError",
    "run",
    false,
    "model",
    "The sandbox stopped the code or could not start.",
  ),
  secret_missing: row(
    "CredentialsError",
    "run",
    false,
    "operator",
    "A named secret that the tool needs is not configured.",
  ),
  model_unauthorized: row(
    "ModelError",
    "run",
    false,
    "operator",
    "The provider refuses the key, or the key may not use this model.",
  ),
  model_rate_limited: row(
    "ModelError",
    "run",
    true,
    "operator",
    "The provider takes no more requests for now; it may say when it will.",
  ),
  model_overloaded: row("ModelError", "run", true, "operator", "The provider is overloaded or broken."),
  model_context_exceeded: row(
    "ModelError",
    "run",
    false,
    "operator",
    "The conversation is longer than the model takes.",
  ),
  model_bad_request: row(
    "ModelError",
    "run",
    false,
    "operator",
    "The provider refuses the request: an unknown model, a setting or a schema it does not take.",
  ),
  model_unreachable: row("ModelError", "run", true, "operator", "The provider cannot be reached."),
  model_unreadable: row(
    "ModelError",
    "run",
    true,
    "operator",
    "The provider's answer ended early or makes no sense.",
  ),
  invalid_output: row(
    "ToolOutputValidationError",
    "check",
    false,
    "operator",
    "The result breaks the tool's output schema, or is not JSON.",
  ),
  ledger_unavailable: row(
    "LedgerError",
    "record",
    false,
    "operator",
    "The ledger cannot be written, so nothing that writes may run.",
  ),
  invalid_definition: row(
    "ToolDefinitionError",
    "define",
    false,
    "operator",
    "A tool's definition is incomplete or contradicts itself.",
  ),
  refused_name: row(
    "ToolDefinitionError",
    "define",
    false,
    "operator",
    "The name is empty, too long, outside the alphabet, reserved, or looks like another tool's.",
  ),
  refused_schema: row(
    "ToolDefinitionError",
    "define",
    false,
    "operator",
    "The schema is malformed, uses a construct that cannot be judged faithfully, or holds an unsafe pattern.",
  ),
  schema_too_complex: row(
    "ToolDefinitionError",
    "define",
    false,
    "operator",
    "The schema is larger, deeper or wider than the limits.",
  ),
  duplicate_tool: row(
    "ToolRegistrationError",
    "define",
    false,
    "operator",
    "A tool of this name is already registered.",
  ),
  too_many_tools: row("ToolRegistrationError", "define", false, "operator", "The registry is full."),
  invalid_config: row(
    "ConfigurationError",
    "define",
    false,
    "operator",
    "A configuration value is wrong; each bad value is named.",
  ),
} as const satisfies Record<string, Row>;

export type FailureCode = keyof typeof failures;
