import { ToolError } from "haft";
import { describe, expect, it } from "vitest";
import { toError } from "../../src/types/errors.ts";
import { stageOf } from "../../src/types/failure.ts";
import { type FailureCode, failures } from "../../src/types/failures.ts";

/** Code → error, stage, retryable, reader of the message. Users branch on all of these. */
const pinned: Readonly<Record<string, readonly [string, string, boolean, string]>> = {
  unreadable_call: ["ToolHydrationError", "hydrate", false, "model"],
  unknown_tool: ["ToolNotFoundError", "hydrate", false, "model"],
  ambiguous_tool: ["ToolNotFoundError", "hydrate", false, "model"],
  not_visible: ["ToolAuthorizationError", "hydrate", false, "model"],
  unreadable_input: ["ToolHydrationError", "hydrate", false, "model"],
  invalid_input: ["ToolInputValidationError", "hydrate", false, "model"],
  not_bound: ["ToolBindingError", "bind", false, "operator"],
  definition_changed: ["DefinitionChangedError", "bind", false, "model"],
  denied: ["ToolAuthorizationError", "authorize", false, "model"],
  approval_required: ["ToolApprovalError", "authorize", false, "model"],
  approval_denied: ["ToolApprovalError", "authorize", false, "model"],
  unreadable_decision: ["ToolApprovalError", "authorize", false, "operator"],
  unknown_approval: ["ToolApprovalError", "authorize", false, "operator"],
  approval_expired: ["ToolApprovalError", "authorize", false, "model"],
  approval_void: ["ToolApprovalError", "authorize", false, "model"],
  key_failed: ["ToolIdempotencyError", "authorize", false, "operator"],
  key_reused: ["ToolIdempotencyError", "authorize", false, "model"],
  key_pending: ["ToolIdempotencyError", "authorize", true, "model"],
  still_running: ["ToolIdempotencyError", "authorize", true, "model"],
  already_done: ["ToolIdempotencyError", "authorize", false, "model"],
  did_not_run: ["ToolIdempotencyError", "run", true, "model"],
  not_settled: ["ToolIdempotencyError", "record", false, "operator"],
  outcome_unknown: ["ToolIdempotencyError", "run", false, "model"],
  already_started: ["ToolIdempotencyError", "layers", false, "model"],
  call_over: ["ToolCancelledError", "layers", false, "operator"],
  not_answered: ["ToolCancelledError", "layers", false, "model"],
  cancelled: ["ToolCancelledError", "layers", false, "model"],
  overloaded: ["ToolOverloadedError", "layers", true, "model"],
  circuit_open: ["ToolUnavailableError", "layers", true, "model"],
  layer_broke: ["ToolLayerError", "layers", false, "operator"],
  timed_out: ["ToolTimeoutError", "run", true, "model"],
  failed: ["ToolExecutionError", "run", true, "model"],
  crashed: ["ToolExecutionError", "run", false, "operator"],
  outside_refused: ["HttpEgressError", "run", false, "model"],
  mcp_unreachable: ["MCPConnectionError", "run", true, "model"],
  mcp_refused: ["ToolExecutionError", "run", false, "model"],
  mcp_protocol: ["MCPConnectionError", "run", false, "model"],
  mcp_garbage: ["MCPConnectionError", "run", false, "model"],
  sandbox_failed: ["SandboxError", "run", false, "model"],
  secret_missing: ["CredentialsError", "run", false, "operator"],
  sign_in_required: ["CredentialsError", "run", false, "model"],
  token_unavailable: ["CredentialsError", "run", true, "operator"],
  model_unauthorized: ["ModelError", "run", false, "operator"],
  model_rate_limited: ["ModelError", "run", true, "operator"],
  model_overloaded: ["ModelError", "run", true, "operator"],
  model_context_exceeded: ["ModelError", "run", false, "operator"],
  model_bad_request: ["ModelError", "run", false, "operator"],
  model_unreachable: ["ModelError", "run", true, "operator"],
  model_timed_out: ["ModelError", "run", true, "operator"],
  model_unreadable: ["ModelError", "run", true, "operator"],
  invalid_output: ["ToolOutputValidationError", "check", false, "operator"],
  ledger_unavailable: ["LedgerError", "record", false, "operator"],
  claim_lost: ["LedgerError", "record", false, "operator"],
  invalid_definition: ["ToolDefinitionError", "define", false, "operator"],
  refused_name: ["ToolDefinitionError", "define", false, "operator"],
  refused_schema: ["ToolDefinitionError", "define", false, "operator"],
  schema_too_complex: ["ToolDefinitionError", "define", false, "operator"],
  duplicate_tool: ["ToolRegistrationError", "define", false, "operator"],
  too_many_tools: ["ToolRegistrationError", "define", false, "operator"],
  invalid_config: ["ConfigurationError", "define", false, "operator"],
};

it("the failure table has these rows and no others", () => {
  const rows = Object.entries(failures).map(([code, { error, stage, retryable, reader }]) => [
    code,
    [error, stage, retryable, reader],
  ]);
  expect(Object.fromEntries(rows)).toEqual(pinned);
});

describe("the error of each row", () => {
  it.each(Object.entries(pinned))("%s is thrown under its pinned name", (code, [error, stage, retryable]) => {
    const thrown = toError({ code: code as FailureCode, message: "why", tool: "t" });
    expect(ToolError.is(thrown)).toBe(true);
    expect(thrown).toBeInstanceOf(ToolError);
    expect(thrown).toMatchObject({ _tag: error, code, message: "why", toolName: "t", retryable });
    expect(stageOf(thrown.failure)).toBe(stage);
  });
});

it("a failure can override whether its code is retryable", () => {
  expect(toError({ code: "failed", message: "no", retryable: false }).retryable).toBe(false);
  expect(toError({ code: "denied", message: "no", retryable: true }).retryable).toBe(true);
});
