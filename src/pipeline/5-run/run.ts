import * as Cause from "effect/Cause";
import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { CurrentCall, type RunningCall } from "../../types/call.ts";
import { ToolError } from "../../types/errors.ts";
import { type Failure, isFailure, stageOf } from "../../types/failure.ts";
import type { AttemptEnding } from "../../types/ledger.ts";
import { CurrentMcpCaller } from "../../types/mcp.ts";
import {
  claimsOutcome,
  failed,
  isOutcome,
  type Outcome,
  succeeded,
  withTaints,
} from "../../types/outcome.ts";
import { CurrentPrincipal } from "../../types/principal.ts";
import { isIdempotent, type TimeLimit } from "../../types/tool.ts";
import type { AttemptStart, CallServices, PermittedCall } from "../call-state.ts";
import { toRunningCall, withCallContextAsync } from "../current-call.ts";
import { startTimer, withDeadline } from "../layers/waiting/timer.ts";

import { callTaintsOf, RunningContext } from "./running-context.ts";

export const createAttemptRunner =
  (services: CallServices) =>
  (start: AttemptStart): Effect.Effect<Outcome> =>
    // Starts the code inside the callback: if the fiber is interrupted before, no unobserved promise remains.
    Effect.callback<Outcome>((resume) => {
      const { call, env } = start;
      const runningCall = toRunningCall(services, call);
      const context = new RunningContext(call, runningCall, env, services);
      try {
        const started = withCallContextAsync(runningCall, () => call.run(attemptInput(start), context));
        if (Exit.isExit(started)) resume(Effect.succeed(finishAttempt(start, context, started)));
        else if (Effect.isEffect(started)) resume(runEffect(services, start, context, runningCall, started));
        else return awaitPromise(services, start, context, started, resume);
      } catch (thrown) {
        resume(Effect.succeed(finishAttempt(start, context, Exit.die(thrown))));
      }
    });

/** Code may modify the transformed input, so a second attempt gets a new one. */
const attemptInput = ({ call, attempt }: AttemptStart): unknown => {
  const { transformed, input, registration } = call;
  if (transformed === undefined) return input;
  if (attempt.number === 1) return transformed.value;
  const again = registration.tool.input(structuredClone(input));
  return again.ok ? (again.transformed ?? again).value : transformed.value;
};

const runEffect = (
  services: CallServices,
  start: AttemptStart,
  context: RunningContext,
  inside: RunningCall,
  effect: Effect.Effect<unknown, unknown>,
): Effect.Effect<Outcome> => {
  const { millis, onTimeout } = timeLimitOf(services, start);
  const own = Effect.provideContext(effect, toFiberContext(inside));
  const outcome = Effect.map(Effect.exit(own), (exit) => finishAttempt(start, context, exit));
  const stop = (): void => context.stop();
  return withDeadline(
    Effect.onInterrupt(outcome, () => Effect.sync(stop)),
    millis,
    {
      onTimeout: () => {
        stop();
        return onTimeout(start.call);
      },
      onCancel: stop,
      fork: (work) => withCallContextAsync(inside, work),
    },
  );
};

/** Waits without a fiber: a promise can only be stopped through its signal. */
const awaitPromise = (
  services: CallServices,
  start: AttemptStart,
  context: RunningContext,
  promise: Promise<unknown>,
  resume: (outcome: Effect.Effect<Outcome>) => void,
): Effect.Effect<void> => {
  const { millis, onTimeout } = timeLimitOf(services, start);
  start.fiber.getRef(CurrentMcpCaller)?.started?.(promise);
  const alarm = startTimer(start.fiber, millis, () => {
    context.stop();
    resume(Effect.succeed(onTimeout(start.call)));
  });
  const end = (exit: Exit.Exit<unknown, unknown>): void => {
    alarm.cancel();
    resume(Effect.succeed(finishAttempt(start, context, exit)));
  };
  promise.then(
    (value) => end(Exit.succeed(value)),
    (error) => end(Exit.fail(error)),
  );
  return Effect.sync(() => {
    alarm.cancel();
    context.stop();
  });
};

const finishAttempt = (
  start: AttemptStart,
  context: RunningContext,
  exit: Exit.Exit<unknown, unknown>,
): Outcome => {
  const { call, attempt } = start;
  const isLate = context.isOver;
  context.end();
  let outcome: Outcome;
  try {
    const read = readExit(exit, call.registration.key);
    outcome = withTaints(refuseRetry(read, call), callTaintsOf(call));
  } catch {
    outcome = failed(crashedFailure(call.registration.key, "it answered with a value that cannot be read"));
  }
  if (isLate) return outcome;
  if (outcome._tag === "value") call.recorder.lastValue = { value: outcome.value };
  attempt.end(attemptEndingOf(outcome, call), mayHaveTakenEffect(call, outcome));
  return outcome;
};

const readExit = (exit: Exit.Exit<unknown, unknown>, key: string): Outcome => {
  if (Exit.isFailure(exit)) return failed(toFailure(exit.cause, key));
  if (!claimsOutcome(exit.value)) return succeeded(exit.value);
  // Only stage 3 can make a call pending.
  const isWhole = isOutcome(exit.value) && exit.value._tag !== "pending";
  return isWhole ? exit.value : failed(crashedFailure(key, "it returned an invalid outcome"));
};

/** Code that was started counts as run unless its implementation can prove otherwise. */
const mayHaveTakenEffect = ({ registration }: PermittedCall, outcome: Outcome): boolean =>
  outcome._tag !== "failure" ||
  outcome.failure.ran !== false ||
  registration.tool.implementation.provesNotRun !== true;

/** Like a timeout: repeating a tool that writes could take effect twice. */
const isEffectLost = (outcome: Outcome, { spec }: PermittedCall): boolean =>
  outcome._tag === "failure" &&
  outcome.failure.answerLost === true &&
  outcome.failure.ran !== false &&
  !isIdempotent(spec);

const refuseRetry = (outcome: Outcome, call: PermittedCall): Outcome =>
  outcome._tag === "failure" && isEffectLost(outcome, call)
    ? failed({ ...outcome.failure, retryable: false }, outcome.taints)
    : outcome;

const attemptEndingOf = (outcome: Outcome, call: PermittedCall): AttemptEnding => {
  if (outcome._tag !== "failure") return "ended";
  const { code, approval } = outcome.failure;
  if (code === "outcome_unknown" || code === "cancelled" || isEffectLost(outcome, call)) return "unknown";
  return approval === undefined ? "ended" : "suspended";
};

const toFiberContext = (inside: RunningCall): Context.Context<never> =>
  Context.empty().pipe(Context.add(CurrentPrincipal, inside.principal), Context.add(CurrentCall, inside));

const timeLimitOf = ({ settings }: CallServices, { call, limit }: AttemptStart): TimeLimit => {
  const wanted = call.spec.timeoutMs ?? settings.defaultTimeoutMs;
  const millis = Math.max(1, Math.min(wanted, settings.maxTimeoutMs));
  return limit !== undefined && limit.millis < millis
    ? limit
    : { millis, onTimeout: timedOutOutcome(millis) };
};

const timedOutOutcome =
  (millis: number): TimeLimit["onTimeout"] =>
  ({ registration }) =>
    failed({
      code: "timed_out",
      tool: registration.key,
      ran: true,
      message: `The tool "${registration.key}" did not answer within ${millis} ms.`,
      timeoutMs: millis,
    });

const toFailure = (cause: Cause.Cause<unknown>, tool: string): Failure => {
  const reason = cause.reasons.find((each) => Cause.isFailReason(each) || Cause.isDieReason(each));
  if (reason === undefined) {
    return { code: "cancelled", tool, ran: true, message: `The call of "${tool}" was cancelled.` };
  }
  if (Cause.isFailReason(reason)) return errorToFailure(reason.error, tool);
  return crashedFailure(tool, (reason as Cause.Die).defect);
};

const crashedFailure = (tool: string, defect: unknown): Failure => ({
  code: "crashed",
  tool,
  ran: true,
  message: `The tool "${tool}" failed.`,
  detail: readErrorMessage(defect),
  cause: defect,
});

/** Keeps the code of run-stage failures; failures of other stages belong to calls that the tool made. */
const errorToFailure = (error: unknown, tool: string): Failure => {
  const failure = ToolError.is(error) ? error.failure : undefined;
  if (isFailure(failure) && stageOf(failure) === "run") {
    return { ...failure, tool, ran: failure.ran ?? true, cause: error };
  }
  const { retryAfterMs } = (error ?? {}) as { readonly retryAfterMs?: unknown };
  return {
    code: "failed",
    tool,
    ran: true,
    message: `The tool "${tool}" failed: ${readErrorMessage(error)}`,
    ...(typeof retryAfterMs === "number" ? { retryAfterMs } : {}),
    cause: error,
  };
};

const readErrorMessage = (error: unknown): string => {
  const { message, _tag } = (error ?? {}) as { readonly message?: unknown; readonly _tag?: unknown };
  if (typeof message === "string" && message !== "") return message;
  return typeof _tag === "string" ? _tag : String(error);
};
