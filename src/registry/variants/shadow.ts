import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type { CallContext, Run } from "../../words/call.ts";
import { type Comparison, compareAnswers, type VariantExit } from "./compare.ts";
import { noteVariant } from "./note.ts";

/** Two variants for each call: one answers, the other is only looked at. */
export interface Shadow<Name extends string> {
  readonly answer: Name;
  readonly compare: Name;
  /** Is told of both answers, after the caller has its own. Whatever it throws is lost. */
  readonly onCompared: (comparison: Comparison) => void;
  /** Equal as JSON, unless given. */
  readonly isEqual?: (answer: unknown, compared: unknown) => boolean;
  /** The compared variant runs for nothing, so it may not write, unless this says that it may. */
  readonly allowWrites?: boolean;
  /** How long it may take; as long as the tool, or 30 seconds. */
  readonly timeout?: Duration.Input;
}

/** So many comparisons may be under way. Calls beyond that are answered without one. */
const most = 100;

interface Timed {
  readonly exit: Exit.Exit<unknown, unknown>;
  readonly durationMs: number;
}

/**
 * Answers with the one variant as if the other were not there: its failure is only told, its slowness not waited
 * for. When the call is cancelled, both are.
 */
export const shadowed = (
  answering: Run<unknown>,
  compared: Run<unknown>,
  shadow: Shadow<string>,
  limit: Duration.Input,
): Run<unknown> => {
  let underWay = 0;

  const compare = (
    input: unknown,
    context: CallContext,
    controller: AbortController,
    answered: Deferred.Deferred<Timed>,
  ): Effect.Effect<void, never, unknown> =>
    Effect.gen(function* () {
      const beside = besideContext(context, controller.signal);
      const stop = Effect.sync(() => controller.abort());
      const work = Effect.timeoutOrElse(
        Effect.onInterrupt(toEffect(compared, input, beside), () => stop),
        { duration: shadow.timeout ?? limit, orElse: () => Effect.fail(new Error("it took too long")) },
      );
      const other = yield* timed(work);
      const mine = yield* Deferred.await(answered);
      tell(shadow, context, [toAnswer(shadow.answer, mine), toAnswer(shadow.compare, other)]);
    });

  return (input, context) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (underWay >= most) {
          noteVariant(context, shadow.answer, `"${shadow.compare}" was left out: too many are under way`);
          return yield* restore(toEffect(answering, input, context));
        }
        noteVariant(context, shadow.answer, `compared with "${shadow.compare}"`);
        const answered = yield* Deferred.make<Timed>();
        const controller = new AbortController();
        underWay++;
        const other = yield* Effect.forkDetach(compare(input, context, controller, answered));
        // Told even of a fiber that was interrupted before it began.
        other.addObserver(() => {
          underWay--;
        });
        const mine = yield* timed(restore(toEffect(answering, input, context)));
        const isCancelled = Exit.isFailure(mine.exit) && Cause.hasInterrupts(mine.exit.cause);
        if (isCancelled) {
          controller.abort();
          other.interruptUnsafe();
        } else Deferred.doneUnsafe(answered, Effect.succeed(mine));
        return yield* mine.exit;
      }),
    );
};

const timed = <R>(effect: Effect.Effect<unknown, unknown, R>): Effect.Effect<Timed, never, R> =>
  Effect.gen(function* () {
    const since = yield* Clock.currentTimeMillis;
    const exit = yield* Effect.exit(effect);
    return { exit, durationMs: (yield* Clock.currentTimeMillis) - since };
  });

/** A promise cannot be stopped, only be told by its signal and no longer listened to. */
const toEffect = (
  run: Run<unknown>,
  input: unknown,
  context: CallContext,
): Effect.Effect<unknown, unknown, unknown> =>
  Effect.suspend(() => {
    const answer = run(input, context);
    if (Effect.isEffect(answer)) return answer;
    return Effect.callback<unknown, unknown>((resume) => {
      answer.then(
        (value) => resume(Effect.succeed(value)),
        (error) => resume(Effect.fail(error)),
      );
    });
  });

/** What it tells of its progress, nobody asked for. */
const besideContext = (context: CallContext, signal: AbortSignal): CallContext => ({
  callId: context.callId,
  tool: context.tool,
  signal,
  principal: context.principal,
  idempotencyKey: context.idempotencyKey,
  env: context.env,
  progress: () => {},
  note: () => {},
  cost: (amount) => context.cost(amount),
});

const toAnswer = (variant: string, { exit, durationMs }: Timed): VariantExit =>
  Exit.isSuccess(exit)
    ? { variant, durationMs, exit: { ok: true, value: exit.value } }
    : { variant, durationMs, exit: { ok: false, error: Cause.squash(exit.cause) } };

const tell = (
  { onCompared, isEqual }: Shadow<string>,
  { callId, tool }: CallContext,
  [answer, compared]: readonly [VariantExit, VariantExit],
): void => {
  try {
    const result: unknown = onCompared(compareAnswers(callId, tool, answer, compared, isEqual));
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // The caller has its answer; what becomes of the comparison is up to whoever asked for it.
  }
};
