import * as Cause from "effect/Cause";
import * as Exit from "effect/Exit";
import type { AuthorizedCall } from "../../types/call.ts";
import { stageOf } from "../../types/failure.ts";
import { failed, type Outcome } from "../../types/outcome.ts";

/** A failure with `retryable: false` shows that the tool works, unless its answer was lost. */
export const classifyExit = (exit: Exit.Exit<Outcome>): "well" | "unwell" | "unknown" => {
  if (!Exit.isSuccess(exit)) return exit.cause.reasons.some(Cause.isDieReason) ? "unwell" : "unknown";
  const outcome = exit.value;
  if (outcome._tag === "value") return "well";
  if (outcome._tag === "pending") return "unknown";
  const { failure } = outcome;
  const isHealthy = failure.retryable === false && failure.answerLost !== true;
  const counts = stageOf(failure) === "run" && failure.code !== "outside_refused" && !isHealthy;
  return counts ? "unwell" : "unknown";
};

export const circuitOpenOutcome = (call: AuthorizedCall, failures: number, wait: number): Outcome => {
  const { key } = call.registration;
  const when =
    wait > 0 ? `again in ${Math.ceil(wait / 1_000)} s` : "again once the call that tests it is back";
  return failed({
    code: "circuit_open",
    tool: key,
    ran: false,
    message: `"${key}" failed ${failures} times in a row, so its calls are rejected for now. Try ${when}, or use another tool.`,
    ...(wait > 0 ? { retryAfterMs: wait } : {}),
  });
};

export const queueLaneOf = ({ principal }: AuthorizedCall): string =>
  `${principal.agent}\u0000${principal.session ?? ""}`;

export const overloadedOutcome = (
  call: AuthorizedCall,
  retryAfterMs: number | undefined,
  why?: string,
): Outcome => {
  const { key } = call.registration;
  const when = retryAfterMs === undefined ? "later" : `in ${Math.ceil(retryAfterMs / 1_000)} s`;
  return failed({
    code: "overloaded",
    tool: key,
    message:
      why === undefined
        ? `Too many calls of "${key}" are queued. Try again ${when}, or with fewer calls at once.`
        : `"${key}" accepts no calls now, because ${why}. Try again ${when}.`,
    ran: false,
    ...(retryAfterMs === undefined ? {} : { retryAfterMs }),
  });
};
