import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import { setAlarm } from "../../layers/alarm.ts";
import { withDeadline } from "../../layers/deadline.ts";
import type { AuthorizedCall } from "../../words/call.ts";
import type { Handler } from "../../words/layer.ts";
import { failed, isOutcome, type Outcome, succeeded } from "../../words/outcome.ts";
import type { House } from "../house.ts";
import { RunningContext } from "./running-context.ts";
import { toFailure } from "./to-failure.ts";

/** Runs the code within the time its spec allows. Whatever it does, an outcome comes back. */
export const run = (house: House): Handler => {
  const answer = (call: AuthorizedCall, exit: Exit.Exit<unknown, unknown>): Outcome =>
    Exit.isSuccess(exit)
      ? isOutcome(exit.value)
        ? exit.value
        : succeeded(exit.value)
      : failed(toFailure(exit.cause, call.registration.key, house.redactor));

  const timeAllowed = ({ spec }: AuthorizedCall): number =>
    Math.min(spec.timeoutMs ?? house.settings.defaultTimeoutMs, house.settings.maxTimeoutMs);

  const timedOut = (call: AuthorizedCall): Outcome =>
    failed({
      code: "timed_out",
      tool: call.registration.key,
      ran: true,
      message: `The tool "${call.registration.key}" did not answer within ${timeAllowed(call)} ms.`,
    });

  const ofEffect = (
    call: AuthorizedCall,
    context: RunningContext,
    effect: Effect.Effect<unknown, unknown>,
  ): Effect.Effect<Outcome> => {
    const outcome = Effect.map(Effect.exit(effect), (exit) => answer(call, exit));
    const stopped = Effect.onInterrupt(outcome, () => Effect.sync(() => context.stop()));
    return withDeadline(stopped, timeAllowed(call), () => timedOut(call));
  };

  /** The wait for a promise has no fiber of its own: the signal tells the code, and there is nothing else to stop. */
  const wait = (
    call: AuthorizedCall,
    context: RunningContext,
    promise: Promise<unknown>,
    fiber: Fiber<unknown, unknown>,
    resume: (outcome: Effect.Effect<Outcome>) => void,
  ): Effect.Effect<void> => {
    const bell = setAlarm(fiber, timeAllowed(call), () => {
      context.stop();
      resume(Effect.succeed(timedOut(call)));
    });
    const end = (exit: Exit.Exit<unknown, unknown>): void => {
      bell.cancel();
      resume(Effect.succeed(answer(call, exit)));
    };
    promise.then(
      (value) => end(Exit.succeed(value)),
      (error) => end(Exit.fail(error)),
    );
    return Effect.sync(() => {
      bell.cancel();
      context.stop();
    });
  };

  return (call) =>
    Effect.withFiber((fiber) =>
      // The code starts in here: a fiber interrupted on its way would leave a promise that nobody listens to.
      Effect.callback<Outcome>((resume) => {
        const context = new RunningContext(call, house.events);
        try {
          const started = call.run(call.input, context);
          if (Exit.isExit(started)) resume(Effect.succeed(answer(call, started)));
          else if (Effect.isEffect(started)) resume(ofEffect(call, context, started));
          else return wait(call, context, started, fiber, resume);
        } catch (thrown) {
          resume(Effect.succeed(answer(call, Exit.die(thrown))));
        }
      }),
    );
};
