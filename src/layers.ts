export { agentContext } from "./layers/agent-context.ts";
export { type ApprovalRule, approval, approvalByEnv, type HasApproval } from "./layers/approval.ts";
export { asyncLayer } from "./layers/async-layer.ts";
export { type BreakerOptions, breaker } from "./layers/breaker.ts";
export { type CacheOptions, cache } from "./layers/cache.ts";
export { inputSchema } from "./layers/input-schema.ts";
export { type LimitOptions, limit } from "./layers/limit.ts";
export { type RetryOptions, retry } from "./layers/retry.ts";
export { type ContextOptions, runContext } from "./layers/run-context.ts";
export { type TapOptions, tap } from "./layers/tap.ts";
export { timeout } from "./layers/timeout.ts";
export { trace } from "./layers/trace.ts";
export type { ApprovalAnswer } from "./words/approval.ts";
export type { AuthorizedCall } from "./words/call.ts";
export { type Failure, isRetryable } from "./words/failure.ts";
export type { ApprovalQuestion, Handler, TimeLimit, ToolLayer } from "./words/layer.ts";
export {
  type Failed,
  type Flow,
  failed,
  final,
  handoff,
  type Outcome,
  rewrite,
  succeeded,
  type Value,
} from "./words/outcome.ts";
