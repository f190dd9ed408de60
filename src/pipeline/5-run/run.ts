import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { withDeadline } from "../../layers/waiting/deadline.ts";
import { startTimer } from "../../layers/waiting/timer.ts";
import { CurrentCall, type RunningCall } from "../../words/call.ts";
import type { TimeLimit } from "../../words/layer.ts";
import type { AttemptEnding } from "../../words/ledger.ts";
import { CurrentCaller } from "../../words/mcp.ts";
import {
  claimsOutcome,
  failed,
  isOutcome,
  type Outcome,
  succeeded,
  withTaints,
} from "../../words/outcome.ts";
import { CurrentPrincipal } from "../../words/principal.ts";
import type { CallServices } from "../call-services.ts";
import type { AttemptStart, GrantedCall } from "../call-state.ts";
import { answerInside, runInside, toRunningCall } from "../current-call.ts";
import { endAttempt, keepValue } from "../recorder.ts";
import { RunningContext, taintsOf } from "./running-context.ts";
import { crashed, toFailure } from "./to-failure.ts";

/** Runs the code of one attempt, within the time its spec, the operator and a layer right outside of the gate allow. */
export const run =
  (services: CallServices) =>
  (start: AttemptStart): Effect.Effect<Outcome> =>
    // The code starts in the callback: a fiber interrupted on its way there would leave a promise that nobody awaits.
    Effect.callback<Outcome>((resume) => {
      const { call, env } = start;
      const inside = toRunningCall(services, call);
      const context = new RunningContext(call, inside, env, services);
      try {
        const started = runInside(inside, () => call.run(inputOf(start), context));
        if (Exit.isExit(started)) resume(Effect.succeed(outcomeOf(services, start, context, started)));
        else if (Effect.isEffect(started)) resume(runEffect(services, start, context, inside, started));
        else return awaitPromise(services, start, context, started, resume);
      } catch (thrown) {
        resume(Effect.succeed(outcomeOf(services, start, context, Exit.die(thrown))));
      }
    });

/** What the author's schema made of the arguments is the code's to change, so a second attempt gets it made again. */
const inputOf = ({ call, attempt }: AttemptStart): unknown => {
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
  const { millis, onTimeout } = timeLimit(services, start);
  // What the tool calls in turn, it calls in its caller's name.
  const own = Effect.provideContext(effect, fiberContext(inside));
  const outcome = Effect.map(Effect.exit(own), (exit) => outcomeOf(services, start, context, exit));
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
      fork: (work) => runInside(inside, work),
    },
  );
};

/** No fiber of its own: the signal tells the code to stop, and there is nothing else to interrupt. */
const awaitPromise = (
  services: CallServices,
  start: AttemptStart,
  context: RunningContext,
  promise: Promise<unknown>,
  resume: (outcome: Effect.Effect<Outcome>) => void,
): Effect.Effect<void> => {
  const { millis, onTimeout } = timeLimit(services, start);
  start.fiber.getRef(CurrentCaller)?.started?.(promise);
  const alarm = startTimer(start.fiber, millis, () => {
    context.stop();
    resume(Effect.succeed(onTimeout(start.call)));
  });
  const end = (exit: Exit.Exit<unknown, unknown>): void => {
    alarm.cancel();
    resume(Effect.succeed(outcomeOf(services, start, context, exit)));
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

/** Looking at what foreign code gave back runs foreign code: a proxy, a getter. */
const outcomeOf = (
  services: CallServices,
  start: AttemptStart,
  context: RunningContext,
  exit: Exit.Exit<unknown, unknown>,
): Outcome => {
  const { call, attempt } = start;
  const isLate = context.isOver;
  context.end();
  let outcome: Outcome;
  try {
    const read = answerInside(services, call, () => readExit(exit, call.registration.key));
    outcome = withTaints(read, taintsOf(call));
  } catch {
    outcome = failed(crashed(call.registration.key, "it answered with something that cannot be looked at"));
  }
  // Nobody waited for it any more: what became of it stays unknown.
  if (isLate) return outcome;
  if (outcome._tag === "value") keepValue(call.recorder, outcome.value);
  endAttempt(attempt, endingOf(outcome), hasRun(call, outcome));
  return outcome;
};

const readExit = (exit: Exit.Exit<unknown, unknown>, key: string): Outcome => {
  if (Exit.isFailure(exit)) return failed(toFailure(exit.cause, key));
  if (!claimsOutcome(exit.value)) return succeeded(exit.value);
  // A person is asked in stage 3; a tool that says it waits for one would wait forever.
  const isWhole = isOutcome(exit.value) && exit.value._tag !== "pending";
  return isWhole ? exit.value : failed(crashed(key, "it answered with an outcome that is none"));
};

/** Code that was started has run, unless its kind can prove that nothing left the process. */
const hasRun = ({ registration }: GrantedCall, outcome: Outcome): boolean =>
  outcome._tag !== "failure" ||
  outcome.failure.ran !== false ||
  registration.tool.implementation.provesNotRun !== true;

/** Code that stopped because a call of its own waits for a person may be started again once that is answered. */
const endingOf = (outcome: Outcome): AttemptEnding => {
  if (outcome._tag !== "failure") return "ended";
  const { code, approval } = outcome.failure;
  if (code === "outcome_unknown" || code === "cancelled") return "unknown";
  return approval === undefined ? "ended" : "suspended";
};

const fiberContext = (inside: RunningCall): Context.Context<never> =>
  Context.empty().pipe(Context.add(CurrentPrincipal, inside.principal), Context.add(CurrentCall, inside));

const timeLimit = ({ settings }: CallServices, { call, limit }: AttemptStart): TimeLimit => {
  const wanted = call.spec.timeoutMs ?? settings.defaultTimeoutMs;
  const millis = Math.max(1, Math.min(wanted, settings.maxTimeoutMs));
  return limit !== undefined && limit.millis < millis ? limit : { millis, onTimeout: timedOut(millis) };
};

const timedOut =
  (millis: number): TimeLimit["onTimeout"] =>
  ({ registration }) =>
    failed({
      code: "timed_out",
      tool: registration.key,
      ran: true,
      message: `The tool "${registration.key}" did not answer within ${millis} ms.`,
      timeoutMs: millis,
    });
