import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { Fiber } from "effect/Fiber";
import { setAlarm } from "../../layers/waiting/alarm.ts";
import { withDeadline } from "../../layers/waiting/deadline.ts";
import { type AuthorizedCall, CurrentTrip } from "../../words/call.ts";
import type { Handler, TimeLimit } from "../../words/layer.ts";
import { claimsOutcome, failed, isOutcome, type Outcome, succeeded } from "../../words/outcome.ts";
import { CurrentPrincipal } from "../../words/principal.ts";
import type { House } from "../house.ts";
import { RunningContext } from "./running-context.ts";
import { crashed, toFailure } from "./to-failure.ts";

/** Runs the code within the time its spec, the operator and a layer right outside of it allow. */
export const run = (house: House): Handler => {
  const read = (exit: Exit.Exit<unknown, unknown>, key: string): Outcome => {
    if (Exit.isFailure(exit)) return failed(toFailure(exit.cause, key));
    if (!claimsOutcome(exit.value)) return succeeded(exit.value);
    // A person is asked in stage 3; a tool that says it waits for one would wait forever.
    const isWhole = isOutcome(exit.value) && exit.value._tag !== "pending";
    return isWhole ? asRun(exit.value) : failed(crashed(key, "it answered with an outcome that is none"));
  };

  /** Looking at what foreign code gave back runs foreign code: a proxy, a getter. */
  const answer = (
    call: AuthorizedCall,
    context: RunningContext,
    exit: Exit.Exit<unknown, unknown>,
  ): Outcome => {
    context.end();
    const { trip } = call;
    try {
      const outcome = withHeard(read(exit, call.registration.key), trip.heard);
      if (outcome._tag === "failure" && outcome.failure.ran === false) trip.runs = (trip.runs ?? 1) - 1;
      return outcome;
    } catch {
      return failed(crashed(call.registration.key, "it answered with something that cannot be looked at"));
    }
  };

  const ofSpec = ({ spec }: AuthorizedCall): number =>
    Math.max(1, Math.min(spec.timeoutMs ?? house.settings.defaultTimeoutMs, house.settings.maxTimeoutMs));

  const within = (limit: TimeLimit | undefined): Handler => {
    const ownTime = (call: AuthorizedCall): TimeLimit => {
      const millis = ofSpec(call);
      return limit !== undefined && limit.millis < millis ? limit : { millis, onTimeout: timedOut(millis) };
    };

    const ofEffect = (
      call: AuthorizedCall,
      context: RunningContext,
      effect: Effect.Effect<unknown, unknown>,
    ) => {
      const { millis, onTimeout } = ownTime(call);
      // What the tool calls in turn, it calls in its caller's name.
      const own = Effect.provideContext(effect, inNameOf(call));
      const outcome = Effect.map(Effect.exit(own), (exit) => answer(call, context, exit));
      const stopped = Effect.onInterrupt(outcome, () => Effect.sync(() => context.stop()));
      const stop = (): void => context.stop();
      return withDeadline(
        stopped,
        millis,
        () => {
          stop();
          return onTimeout(call);
        },
        stop,
      );
    };

    /** No fiber of its own: the signal tells the code to stop, and there is nothing else to interrupt. */
    const ofPromise = (
      call: AuthorizedCall,
      context: RunningContext,
      promise: Promise<unknown>,
      fiber: Fiber<unknown, unknown>,
      resume: (outcome: Effect.Effect<Outcome>) => void,
    ): Effect.Effect<void> => {
      const { millis, onTimeout } = ownTime(call);
      const bell = setAlarm(fiber, millis, () => {
        context.stop();
        resume(Effect.succeed(onTimeout(call)));
      });
      const end = (exit: Exit.Exit<unknown, unknown>): void => {
        bell.cancel();
        resume(Effect.succeed(answer(call, context, exit)));
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

    const handler = (call: AuthorizedCall): Effect.Effect<Outcome> =>
      Effect.withFiber((fiber) =>
        // The code starts in here: a fiber interrupted on its way would leave a promise that nobody listens to.
        Effect.callback<Outcome>((resume) => {
          const context = new RunningContext(call, house.events, house.redactor);
          const { trip } = call;
          trip.runs = (trip.runs ?? 0) + 1;
          if (trip.ranWith !== undefined || trip.provenance?.repaired === true)
            trip.ranWith = { input: call.input };
          try {
            const started = call.run(call.input, context);
            if (Exit.isExit(started)) resume(Effect.succeed(answer(call, context, started)));
            else if (Effect.isEffect(started)) resume(ofEffect(call, context, started));
            else return ofPromise(call, context, started, fiber, resume);
          } catch (thrown) {
            resume(Effect.succeed(answer(call, context, Exit.die(thrown))));
          }
        }),
      );

    return Object.assign(handler, {
      within: (other: TimeLimit) =>
        within(limit !== undefined && limit.millis <= other.millis ? limit : other),
    });
  };

  return within(undefined);
};

/** Code that answers with a failure has run, unless it says that nothing happened. */
const asRun = (outcome: Outcome): Outcome =>
  outcome._tag === "failure" && outcome.failure.ran === undefined
    ? failed({ ...outcome.failure, ran: true })
    : outcome;

/** What its code heard from others stays with the value, wherever a layer keeps it. */
const withHeard = (outcome: Outcome, heard: readonly string[] | undefined): Outcome =>
  outcome._tag !== "value" || heard === undefined ? outcome : { ...outcome, taints: heard };

const inNameOf = ({ principal, trip }: AuthorizedCall): Context.Context<never> =>
  Context.empty().pipe(Context.add(CurrentPrincipal, principal), Context.add(CurrentTrip, trip));

const timedOut =
  (millis: number) =>
  ({ registration }: AuthorizedCall): Outcome =>
    failed({
      code: "timed_out",
      tool: registration.key,
      ran: true,
      message: `The tool "${registration.key}" did not answer within ${millis} ms.`,
    });
