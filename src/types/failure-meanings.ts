import type { FailureCode } from "./failures.ts";

/** Separate from the table to keep it out of bundles. */
export const failureMeanings: Readonly<Record<FailureCode, string>> = {
  unreadable_call: "The call has no id or no tool name.",
  unknown_tool: "No tool has this name. The message lists similar names.",
  ambiguous_tool: "The short name matches several tools of one source. The message lists their full names.",
  not_visible: "The caller may not see this tool, whatever its arguments.",
  unreadable_input:
    "The arguments are not strict JSON: a syntax error, a duplicate key, a forbidden key, a number that would lose digits, too deep or too large.",
  invalid_input: "The arguments violate the tool's input schema. Each issue has a JSON pointer.",
  not_bound: "No implementation is bound to the tool's spec.",
  definition_changed:
    "A remote tool differs from its reviewed definition: it changed, is new, or is a lookalike of another tool. It is quarantined until it is approved in haft.lock.",
  denied: "Policy denies this caller, this tool or these arguments.",
  approval_required:
    "The call requires approval, and no approver is configured; or, from haft.call, the approval is still pending.",
  approval_denied: "An approver or an approval layer denied the call.",
  unreadable_decision:
    "The answer to an approval request is not allow, deny or edit. The call remains pending.",
  unknown_approval: "No open approval request has this id: it was answered, or it belongs to another caller.",
  approval_expired: "The approval request was not answered in time.",
  approval_void: "The tool or its arguments changed after the approval, so the approval is void.",
  key_failed: "The tool's `key` function threw, or returned no text. The call did not run.",
  key_reused: "The key was used before for another tool or with other arguments.",
  key_pending: "The first call with the same key is pending approval.",
  still_running: "The first call with the same key is still running.",
  already_done:
    "The first call with the same key took effect, and an operator settled it without a result that could be replayed.",
  did_not_run: "An operator, or the tool's `reconcile`, found that the call did not take effect.",
  not_settled:
    "The call cannot be settled: it is running, pending, already settled, or its outcome is known.",
  outcome_unknown:
    "The process died while the call ran. The call may have taken effect, so it is not repeated automatically.",
  already_started:
    "A layer tried to start a tool that is not idempotent a second time, and the first start may have taken effect.",
  call_over: "A layer continued after its call had ended. Nothing more runs for that call.",
  not_answered: "The turn stopped before this call started.",
  cancelled: "The caller cancelled the call.",
  overloaded: "A limit on running calls, queued calls or calls per time was reached.",
  circuit_open: "The tool failed repeatedly, so its circuit breaker rejects calls for a while.",
  layer_broke: "A layer threw, or returned an invalid outcome.",
  timed_out: "The tool exceeded its time limit and was stopped.",
  failed: "The tool reported an error.",
  crashed: "The tool failed with an unexpected error.",
  outside_refused:
    "The HTTP client refused the address, the headers, the redirect, or the size of the response.",
  mcp_unreachable: "The MCP server behind the tool cannot be reached.",
  mcp_refused: "The MCP server answered a tool call with a JSON-RPC error.",
  mcp_protocol: "The MCP server violated the protocol, or refused a request other than a tool call.",
  mcp_garbage: "The MCP server sent data that is not a message, or a message above the size limit.",
  sandbox_failed: "The sandbox stopped the code or could not start.",
  secret_missing: "A secret that the tool needs is not configured.",
  sign_in_required:
    "The caller has not authorized access to the service that the tool needs, or the authorization ended. The caller must sign in.",
  token_unavailable: "The token service or the token store cannot be reached.",
  model_unauthorized: "The provider rejects the API key, or the key may not use this model.",
  model_rate_limited: "The provider's rate limit is reached. The provider may say when to try again.",
  model_overloaded: "The provider is overloaded or failing.",
  model_context_exceeded: "The conversation exceeds the model's context window.",
  model_bad_request:
    "The provider rejects the request: an unknown model, or a setting or schema that it does not accept.",
  model_unreachable: "The provider cannot be reached.",
  model_timed_out: "The model did not answer within the time that its layers or the runtime allow.",
  model_unreadable: "The provider's response ended early or cannot be parsed.",
  invalid_output: "The result violates the tool's output schema, or is not JSON.",
  ledger_unavailable: "The ledger cannot be written, so calls that write may not run.",
  claim_lost: "Another process claimed this run, so this process may neither run nor write anything for it.",
  invalid_definition: "A tool's definition is incomplete or contradicts itself.",
  refused_name:
    "The name is empty, too long, reserved, outside the alphabet, or a lookalike of another tool's name.",
  refused_schema:
    "The schema is malformed, uses a construct that cannot be evaluated exactly, or has an unsafe pattern.",
  schema_too_complex: "The schema exceeds the limits on size, depth or width.",
  duplicate_tool: "A tool of this name is already registered.",
  too_many_tools: "The registry is full.",
  invalid_config: "A configuration value is invalid. The message names each one.",
};
