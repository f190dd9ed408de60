import * as Cause from "effect/Cause";
import * as Clock from "effect/Clock";
import * as Deferred from "effect/Deferred";
import type * as Duration from "effect/Duration";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { canonicalJson } from "../../base/json/canonical-json.ts";
import type { CallContext, ToolFunction } from "../../types/call.ts";
import { isOutcome } from "../../types/outcome.ts";

interface VariantResult {
  readonly variant: string;
  readonly durationMs: number;
  readonly ok: boolean;
  readonly value?: unknown;
  readonly error?: string;
}

export interface VariantComparison {
  readonly callId: string;
  readonly tool: string;
  readonly equal: boolean;
  readonly answer: VariantResult;
  readonly compared: VariantResult;
}

interface VariantExit {
  readonly variant: string;
  readonly durationMs: number;
  readonly exit:
    | { readonly ok: true; readonly value: unknown }
    | { readonly ok: false; readonly error: unknown };
}

const compareVariants = (
  callId: string,
  tool: string,
  one: VariantExit,
  other: VariantExit,
  isEqual: ((answer: unknown, compared: unknown) => boolean) | undefined,
): VariantComparison => {
  const answer = toVariantResult(one);
  const compared = toVariantResult(other);
  const equal =
    answer.ok && compared.ok
      ? (isEqual ?? isSameJson)(answer.value, compared.value)
      : answer.ok === compared.ok;
  return Object.freeze({ callId, tool, equal, answer, compared });
};

const toVariantResult = ({ variant, durationMs, exit }: VariantExit): VariantResult => {
  const common = { variant, durationMs };
  if (!exit.ok) return { ...common, ok: false, error: messageOf(exit.error) };
  const { value } = exit;
  if (!isOutcome(value)) return { ...common, ok: true, value };
  if (value._tag === "value") return { ...common, ok: true, value: value.value };
  const error = value._tag === "failure" ? value.failure.message : "it is pending approval";
  return { ...common, ok: false, error };
};

const messageOf = (error: unknown): string => {
  const message = (error as { readonly message?: unknown } | null | undefined)?.message;
  return typeof message === "string" && message !== "" ? message : String(error);
};

const isSameJson = (one: unknown, other: unknown): boolean => {
  try {
    return toText(one) === toText(other);
  } catch {
    return false;
  }
};

const toText = (value: unknown): string => canonicalJson(JSON.parse(JSON.stringify(value) ?? "null"));

export interface ShadowOptions<Name extends string> {
  readonly answer: Name;
  readonly compare: Name;
  /** Called after the call has its answer. Errors are ignored. */
  readonly onCompared: (comparison: VariantComparison) => void;
  /** Default: equality as JSON. */
  readonly isEqual?: (answer: unknown, compared: unknown) => boolean;
  /** Allows a compared variant that writes. */
  readonly allowWrites?: boolean;
  /** Default: the timeout of the tool, or 30 seconds. */
  readonly timeout?: Duration.Input;
}

/** Further calls are answered without a comparison. */
const maxComparisons = 100;

interface TimedExit {
  readonly exit: Exit.Exit<unknown, unknown>;
  readonly durationMs: number;
}

/** The compared variant can neither fail nor delay the call. Cancelling the call cancels both. */
export const runWithShadow = (
  answering: ToolFunction<unknown>,
  compared: ToolFunction<unknown>,
  shadow: ShadowOptions<string>,
  limit: Duration.Input,
): ToolFunction<unknown> => {
  let underWay = 0;

  const compare = (
    input: unknown,
    context: CallContext,
    controller: AbortController,
    answered: Deferred.Deferred<TimedExit>,
  ): Effect.Effect<void, never, unknown> =>
    Effect.gen(function* () {
      const comparedContext = shadowContext(context, controller.signal);
      const stop = Effect.sync(() => controller.abort());
      const work = Effect.timeoutOrElse(
        Effect.onInterrupt(toEffect(compared, input, comparedContext), () => stop),
        {
          duration: shadow.timeout ?? limit,
          orElse: () => Effect.fail(new Error("it did not finish in time")),
        },
      );
      const other = yield* timeEffect(work);
      const mine = yield* Deferred.await(answered);
      reportComparison(shadow, context, [
        toVariantExit(shadow.answer, mine),
        toVariantExit(shadow.compare, other),
      ]);
    });

  return (input, context) =>
    Effect.uninterruptibleMask((restore) =>
      Effect.gen(function* () {
        if (underWay >= maxComparisons) {
          noteVariant(context, shadow.answer, `"${shadow.compare}" was skipped: too many are running`);
          return yield* restore(toEffect(answering, input, context));
        }
        noteVariant(context, shadow.answer, `compared with "${shadow.compare}"`);
        const answered = yield* Deferred.make<TimedExit>();
        const controller = new AbortController();
        underWay++;
        const other = yield* Effect.forkDetach(compare(input, context, controller, answered));
        // Also called for a fiber that was interrupted before it started.
        other.addObserver(() => {
          underWay--;
        });
        const mine = yield* timeEffect(restore(toEffect(answering, input, context)));
        const isCancelled = Exit.isFailure(mine.exit) && Cause.hasInterrupts(mine.exit.cause);
        if (isCancelled) {
          controller.abort();
          other.interruptUnsafe();
        } else Deferred.doneUnsafe(answered, Effect.succeed(mine));
        return yield* mine.exit;
      }),
    );
};

export const noteVariant = ({ note }: CallContext, variant: string, more?: string): void =>
  note(`variant: "${variant}"${more === undefined ? "" : `, ${more}`}`);

const timeEffect = <R>(effect: Effect.Effect<unknown, unknown, R>): Effect.Effect<TimedExit, never, R> =>
  Effect.gen(function* () {
    const since = yield* Clock.currentTimeMillis;
    const exit = yield* Effect.exit(effect);
    return { exit, durationMs: (yield* Clock.currentTimeMillis) - since };
  });

/** A promise cannot be stopped: its signal is aborted and its result ignored. */
const toEffect = (
  run: ToolFunction<unknown>,
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

const shadowContext = (context: CallContext, signal: AbortSignal): CallContext => ({
  callId: context.callId,
  tool: context.tool,
  signal,
  principal: context.principal,
  idempotencyKey: context.idempotencyKey,
  env: context.env,
  progress: () => {},
  note: () => {},
  cost: (amount) => context.cost(amount),
  secret: (name) => context.secret(name),
});

const toVariantExit = (variant: string, { exit, durationMs }: TimedExit): VariantExit =>
  Exit.isSuccess(exit)
    ? { variant, durationMs, exit: { ok: true, value: exit.value } }
    : { variant, durationMs, exit: { ok: false, error: Cause.squash(exit.cause) } };

const reportComparison = (
  { onCompared, isEqual }: ShadowOptions<string>,
  { callId, tool }: CallContext,
  [answer, compared]: readonly [VariantExit, VariantExit],
): void => {
  try {
    const result: unknown = onCompared(compareVariants(callId, tool, answer, compared, isEqual));
    if (result instanceof Promise) result.catch(() => {});
  } catch {
    // The call has its answer.
  }
};
