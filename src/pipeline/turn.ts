import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import type { CallRequest, RunningCall } from "../words/call.ts";
import type { Failure } from "../words/failure.ts";
import type { Reply } from "../words/reply.ts";
import { cancelled } from "./4-layers/to-outcome.ts";
import { toReply } from "./8-reply/reply.ts";
import type { ToolCorridor } from "./corridor.ts";

export interface RawTurnOptions {
  readonly maxConcurrency?: number | undefined;
  /** `fail-fast` cancels the others when one call fails; either way each call gets its reply. */
  readonly join?: "all" | "fail-fast" | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Ends the turn too: to join the two signals would cost as much as a call. */
  readonly lost?: AbortSignal | undefined;
  /** The call from inside whose code the turn is made. */
  readonly parent?: RunningCall | undefined;
}

/** However many calls a message has, so many run at once unless somebody wants fewer or more. */
const mostAtOnce = 1_000;

type TurnEnding = "cancelled" | "final" | "handoff" | "failed";

const codes = {
  cancelled: "cancelled",
  final: "not_answered",
  handoff: "not_answered",
  failed: "not_answered",
  repeated: "unreadable_call",
} as const;

const why = {
  repeated: "Another call of this turn has the same id; it is answered there.",
  cancelled: "The turn was cancelled before this call was started.",
  final: "Another call of this turn gave the final answer before this one was started.",
  handoff: "Another call of this turn handed over to another agent before this one was started.",
  failed: "Another call of this turn failed before this one was started.",
};

/**
 * All calls of one model message: in parallel inside, in the model's order outside. A call that
 * never started because the turn ended is seen and answered like any other.
 */
export const turn = (
  corridor: ToolCorridor,
  requests: readonly CallRequest[],
  options: RawTurnOptions,
): Effect.Effect<readonly Reply[]> =>
  Effect.withFiber((fiberOfTurn) => {
    const { parent } = options;
    const [only] = requests;
    // Nothing to keep in order and nobody to cancel it but its own fiber: no other fiber is needed.
    if (
      only !== undefined &&
      requests.length === 1 &&
      options.signal === undefined &&
      options.lost === undefined
    ) {
      return Effect.map(corridor.call(only, { parent }), (reply) => [reply]);
    }
    const fork = Effect.runForkWith(fiberOfTurn.context);
    const repeated = repeatedAt(requests);
    return Effect.callback<readonly Reply[]>((resume) => {
      const replies = new Array<Reply>(requests.length);
      /** An interrupted call has closed its entry but cannot answer its fiber any more; its reply is left here. */
      const left = new Map<number, Reply>();
      const running = new Map<number, Fiber.Fiber<Reply>>();
      const wanted = options.maxConcurrency ?? mostAtOnce;
      const limit = Number.isNaN(wanted) ? 1 : Math.max(1, wanted);
      let over: (() => void) | undefined;
      let next = 0;
      let unanswered = requests.length;
      let isStopped = false;
      const isAborted = options.signal?.aborted === true || options.lost?.aborted === true;
      let ended: TurnEnding | undefined = isAborted ? "cancelled" : undefined;

      const start = (index: number): void => {
        const request = requests[index]!;
        const instead = repeated?.has(index) ? "repeated" : ended;
        const fiber = fork(
          instead === undefined
            ? corridor.call(request, { parent, onReply: (reply) => left.set(index, reply) })
            : corridor.decline(request, notAnswered(request, instead), { parent }),
        );
        const exit = fiber.pollUnsafe();
        if (exit !== undefined) {
          settle(index, exit);
          return;
        }
        running.set(index, fiber);
        // The turn may have been stopped from inside this very call, before it was known to run.
        if (isStopped && instead === undefined) fiber.interruptUnsafe(fiberOfTurn.id);
        fiber.addObserver((late) => {
          running.delete(index);
          settle(index, late);
          pump();
        });
      };

      const settle = (index: number, exit: Exit.Exit<Reply>): void => {
        const reply = Exit.isSuccess(exit)
          ? exit.value
          : (left.get(index) ?? cancelledReply(requests[index]!));
        replies[index] = reply;
        unanswered -= 1;
        if (ended !== undefined) return;
        if (reply.flow.kind === "final" || reply.flow.kind === "handoff") ended = reply.flow.kind;
        else if (reply.failure !== undefined && options.join === "fail-fast") stop("failed");
      };

      const stop = (reason: TurnEnding): void => {
        ended ??= reason;
        isStopped = true;
        for (const fiber of [...running.values()]) fiber.interruptUnsafe(fiberOfTurn.id);
      };

      const pump = (): void => {
        while (next < requests.length && running.size < limit) start(next++);
        if (unanswered > 0) return;
        options.signal?.removeEventListener("abort", abort);
        options.lost?.removeEventListener("abort", abort);
        over?.();
        resume(
          Effect.succeed(
            repeated === undefined ? replies : replies.filter((_, index) => !repeated.has(index)),
          ),
        );
      };

      const abort = (): void => stop("cancelled");
      options.signal?.addEventListener("abort", abort, { once: true });
      options.lost?.addEventListener("abort", abort, { once: true });
      pump();
      // Whoever waited for the turn is gone. What runs is stopped, the rest is declined, and all of it is recorded.
      return Effect.callback<void>((done) => {
        over = () => done(Effect.void);
        stop("cancelled");
        if (unanswered === 0) over();
      });
    });
  });

/** Positions of calls whose id an earlier call of the turn has; one id, one run, one reply. */
const repeatedAt = (requests: readonly CallRequest[]): ReadonlySet<number> | undefined => {
  if (requests.length < 2) return undefined;
  const seen = new Set<string>();
  let repeated: Set<number> | undefined;
  for (let index = 0; index < requests.length; index++) {
    const { id } = requests[index]!.raw;
    if (id !== "" && seen.has(id)) {
      repeated ??= new Set();
      repeated.add(index);
    }
    seen.add(id);
  }
  return repeated;
};

const notAnswered = ({ raw }: CallRequest, reason: keyof typeof why): Failure => ({
  code: codes[reason],
  message: why[reason],
  tool: raw.tool,
});

const cancelledReply = ({ raw }: CallRequest): Reply => toReply(raw, cancelled(raw.tool), "", plain);

const plain = { text: (text: string) => text, value: (value: unknown) => value };
