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
  | "DefinitionChangedError"
  | "ToolApprovalError"
  | "ToolIdempotencyError"
  | "ToolCancelledError"
  | "ToolOverloadedError"
  | "ToolUnavailableError"
  | "ToolLayerError"
  | "ToolTimeoutError"
  | "ToolExecutionError"
  | "HttpEgressError"
  | "MCPConnectionError"
  | "SandboxError"
  | "CredentialsError"
  | "ModelError"
  | "ToolOutputValidationError"
  | "LedgerError"
  | "ToolDefinitionError"
  | "ToolRegistrationError"
  | "ConfigurationError";

interface FailureRow {
  readonly error: ErrorName;
  readonly stage: Stage;
  /** A retry may help, provided that the tool did not run or is idempotent. */
  readonly retryable: boolean;
  /** Who reads the message: for an operator's failure the model gets a general sentence. */
  readonly reader: "model" | "operator";
}

const row = (
  error: ErrorName,
  stage: Stage,
  retryable: boolean,
  reader: FailureRow["reader"],
): FailureRow => ({
  error,
  stage,
  retryable,
  reader,
});

/** All failure codes. `docs/errors.md` is generated from this table and its meanings. */
export const failures = {
  unreadable_call: row("ToolHydrationError", "hydrate", false, "model"),
  unknown_tool: row("ToolNotFoundError", "hydrate", false, "model"),
  ambiguous_tool: row("ToolNotFoundError", "hydrate", false, "model"),
  not_visible: row("ToolAuthorizationError", "hydrate", false, "model"),
  unreadable_input: row("ToolHydrationError", "hydrate", false, "model"),
  invalid_input: row("ToolInputValidationError", "hydrate", false, "model"),
  not_bound: row("ToolBindingError", "bind", false, "operator"),
  definition_changed: row("DefinitionChangedError", "bind", false, "model"),
  denied: row("ToolAuthorizationError", "authorize", false, "model"),
  approval_required: row("ToolApprovalError", "authorize", false, "model"),
  approval_denied: row("ToolApprovalError", "authorize", false, "model"),
  unreadable_decision: row("ToolApprovalError", "authorize", false, "operator"),
  unknown_approval: row("ToolApprovalError", "authorize", false, "operator"),
  approval_expired: row("ToolApprovalError", "authorize", false, "model"),
  approval_void: row("ToolApprovalError", "authorize", false, "model"),
  key_failed: row("ToolIdempotencyError", "authorize", false, "operator"),
  key_reused: row("ToolIdempotencyError", "authorize", false, "model"),
  key_pending: row("ToolIdempotencyError", "authorize", true, "model"),
  still_running: row("ToolIdempotencyError", "authorize", true, "model"),
  already_done: row("ToolIdempotencyError", "authorize", false, "model"),
  did_not_run: row("ToolIdempotencyError", "run", true, "model"),
  not_settled: row("ToolIdempotencyError", "record", false, "operator"),
  outcome_unknown: row("ToolIdempotencyError", "run", false, "model"),
  already_started: row("ToolIdempotencyError", "layers", false, "model"),
  call_over: row("ToolCancelledError", "layers", false, "operator"),
  not_answered: row("ToolCancelledError", "layers", false, "model"),
  cancelled: row("ToolCancelledError", "layers", false, "model"),
  overloaded: row("ToolOverloadedError", "layers", true, "model"),
  circuit_open: row("ToolUnavailableError", "layers", true, "model"),
  layer_broke: row("ToolLayerError", "layers", false, "operator"),
  timed_out: row("ToolTimeoutError", "run", true, "model"),
  failed: row("ToolExecutionError", "run", true, "model"),
  crashed: row("ToolExecutionError", "run", false, "operator"),
  outside_refused: row("HttpEgressError", "run", false, "model"),
  mcp_unreachable: row("MCPConnectionError", "run", true, "model"),
  mcp_refused: row("ToolExecutionError", "run", false, "model"),
  mcp_protocol: row("MCPConnectionError", "run", false, "model"),
  mcp_garbage: row("MCPConnectionError", "run", false, "model"),
  sandbox_failed: row("SandboxError", "run", false, "model"),
  secret_missing: row("CredentialsError", "run", false, "operator"),
  sign_in_required: row("CredentialsError", "run", false, "model"),
  token_unavailable: row("CredentialsError", "run", true, "operator"),
  model_unauthorized: row("ModelError", "run", false, "operator"),
  model_rate_limited: row("ModelError", "run", true, "operator"),
  model_overloaded: row("ModelError", "run", true, "operator"),
  model_context_exceeded: row("ModelError", "run", false, "operator"),
  model_bad_request: row("ModelError", "run", false, "operator"),
  model_unreachable: row("ModelError", "run", true, "operator"),
  model_timed_out: row("ModelError", "run", true, "operator"),
  model_unreadable: row("ModelError", "run", true, "operator"),
  invalid_output: row("ToolOutputValidationError", "check", false, "operator"),
  ledger_unavailable: row("LedgerError", "record", false, "operator"),
  claim_lost: row("LedgerError", "record", false, "operator"),
  invalid_definition: row("ToolDefinitionError", "define", false, "operator"),
  refused_name: row("ToolDefinitionError", "define", false, "operator"),
  refused_schema: row("ToolDefinitionError", "define", false, "operator"),
  schema_too_complex: row("ToolDefinitionError", "define", false, "operator"),
  duplicate_tool: row("ToolRegistrationError", "define", false, "operator"),
  too_many_tools: row("ToolRegistrationError", "define", false, "operator"),
  invalid_config: row("ConfigurationError", "define", false, "operator"),
} as const satisfies Record<string, FailureRow>;

/** Code of a failure, such as `invalid_input`; listed in `docs/errors.md`. */
export type FailureCode = keyof typeof failures;
