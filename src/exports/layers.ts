export { agentContext } from "../pipeline/layers/agent-context.ts";
export { type ApprovalRule, approval, approvalByEnv, type HasApproval } from "../pipeline/layers/approval.ts";
export { asyncLayer } from "../pipeline/layers/async-layer.ts";
export { authorize, type CallAuthorizer } from "../pipeline/layers/authorize.ts";
export { type BreakerOptions, breaker } from "../pipeline/layers/breaker.ts";
export { type CacheOptions, cache } from "../pipeline/layers/cache.ts";
export { inputSchema } from "../pipeline/layers/input-schema.ts";
export { type LimitOptions, limit } from "../pipeline/layers/limit.ts";
export { type RetryOptions, retry } from "../pipeline/layers/retry.ts";
export { type ContextOptions, runContext } from "../pipeline/layers/run-context.ts";
export { type TapOptions, tap } from "../pipeline/layers/tap.ts";
export { timeout } from "../pipeline/layers/timeout.ts";
export { trace } from "../pipeline/layers/trace.ts";
export type { ApprovalAnswer } from "../types/approval.ts";
export type { AuthorizedCall } from "../types/call.ts";
export { type Failure, isRetryable } from "../types/failure.ts";
export {
  type FailureOutcome,
  type Flow,
  failed,
  final,
  handoff,
  type Outcome,
  rewrite,
  succeeded,
  type ValueOutcome,
} from "../types/outcome.ts";
export type { ApprovalQuestion, Handler, TimeLimit, ToolLayer } from "../types/tool.ts";
