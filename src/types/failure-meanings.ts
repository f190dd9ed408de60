import type { FailureCode } from "./failures.ts";

/** Separate from the table to keep it out of bundles. */
export const failureMeanings: Readonly<Record<FailureCode, string>> = {
  unreadable_call: "What arrived is not a call: it lacks an id or a tool name.",
  unknown_tool: "No tool has this name; the message lists near ones.",
  ambiguous_tool: "A short name fits several tools of one source; the message lists their full names.",
  not_visible: "The caller may not see this tool, whatever its arguments.",
  unreadable_input:
    "The arguments are not strict JSON: a syntax error, a duplicate key, a forbidden key, a number that would lose digits, or too deep or too large.",
  invalid_input: "The arguments break the tool's input schema; each issue has a JSON pointer.",
  not_bound: "The spec has no implementation that can answer it.",
  definition_changed:
    "A remote tool is not what was reviewed: it changed, is new, or stands in the place of another. It is held back until somebody approves it in haft.lock.",
  denied: "Policy refuses this caller, this tool or these arguments.",
  approval_required:
    "A person must approve the call: nobody can be asked, or, from haft.call, the answer is still to come.",
  approval_denied: "A person, or an approval layer, said no.",
  unreadable_decision: "An answer to an approval is neither allow, deny nor edit; the call goes on waiting.",
  unknown_approval: "No call waits for this approval: it was answered, or it is another caller's.",
  approval_expired: "The answer to an approval came too late, or never.",
  approval_void:
    "The tool or its arguments are no longer what was approved, so the approval counts for nothing.",
  key_failed: "The tool's `key` function threw, or returned no text. The call did not run.",
  key_reused: "The key was used before, for another tool or other arguments.",
  key_pending: "The first call with the same key is pending: it waits for an approval.",
  still_running: "The first call with the same key is still running.",
  already_done:
    "The first call with the same key took effect, and an operator settled it without a result that could be replayed.",
  did_not_run: "An operator, or the tool's `reconcile`, found out that the call did not take effect.",
  not_settled:
    "A call cannot be settled: it is running, pending, was settled before, or its outcome is known.",
  outcome_unknown:
    "The process died while the call ran: it may have taken effect, so it is not made again by itself.",
  already_started:
    "A layer asked for a second start of a tool that is not idempotent, and the first may have taken effect.",
  call_over: "A layer went on after its call had ended: nothing runs under it any more.",
  not_answered: "The turn stopped before this call was started.",
  cancelled: "The caller cancelled the call.",
  overloaded: "The limit on calls in flight, calls waiting or calls per time is reached.",
  circuit_open: "The tool failed so often that its breaker keeps calls away for a while.",
  layer_broke: "A layer threw instead of answering.",
  timed_out: "The tool did not answer in time and was stopped.",
  failed: "The tool said no: it failed with an error of its own.",
  crashed: "The tool broke: it died of something it did not expect.",
  outside_refused:
    "The outgoing client refused the address, the headers, the redirect, or the size of the answer.",
  mcp_unreachable: "The MCP server behind the tool cannot be reached.",
  mcp_refused: "The MCP server answered the call of a tool with a JSON-RPC error.",
  mcp_protocol: "The MCP server answered against the protocol, or refused a request other than a call.",
  mcp_garbage: "The MCP server wrote something that is no message, or more than a message may have.",
  sandbox_failed: "The sandbox stopped the code or could not start.",
  secret_missing: "A named secret that the tool needs is not configured.",
  sign_in_required:
    "The caller has not given the right that the tool needs, or it has ended: it must sign in.",
  token_unavailable:
    "The service that gives tokens, or the place where they are kept, cannot be asked right now.",
  model_unauthorized: "The provider refuses the key, or the key may not use this model.",
  model_rate_limited: "The provider takes no more requests for now; it may say when it will.",
  model_overloaded: "The provider is overloaded or broken.",
  model_context_exceeded: "The conversation is longer than the model takes.",
  model_bad_request:
    "The provider refuses the request: an unknown model, a setting or a schema it does not take.",
  model_unreachable: "The provider cannot be reached.",
  model_timed_out: "The model gave no answer within the time its layers or the runtime allow.",
  model_unreadable: "The provider's answer ended early or makes no sense.",
  invalid_output: "The result breaks the tool's output schema, or is not JSON.",
  ledger_unavailable: "The ledger cannot be written, so nothing that writes may run.",
  claim_lost: "Another process took this run over, so this one may neither run nor write anything for it.",
  invalid_definition: "A tool's definition is incomplete or contradicts itself.",
  refused_name: "The name is empty, too long, outside the alphabet, reserved, or looks like another tool's.",
  refused_schema:
    "The schema is malformed, uses a construct that cannot be judged faithfully, or holds an unsafe pattern.",
  schema_too_complex: "The schema is larger, deeper or wider than the limits.",
  duplicate_tool: "A tool of this name is already registered.",
  too_many_tools: "The registry is full.",
  invalid_config: "A configuration value is wrong; each bad value is named.",
};
