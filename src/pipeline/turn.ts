import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import type * as Fiber from "effect/Fiber";
import type { CallRequest, RunningCall } from "../types/call.ts";
import type { Failure } from "../types/failure.ts";
import type { Reply } from "../types/outcome.ts";
import { cancelledOutcome } from "./4-layers/gate.ts";
import { toReply } from "./8-reply/reply.ts";
import type { ToolPipeline } from "./pipeline.ts";

export interface PipelineTurnOptions {
  readonly maxConcurrency?: number | undefined;
  /** `fail-fast` cancels the other calls when one fails. Each call gets its reply in both modes. */
  readonly join?: "all" | "fail-fast" | undefined;
  readonly signal?: AbortSignal | undefined;
  /** Also ends the turn; separate, because combining two signals is expensive. */
  readonly lost?: AbortSignal | undefined;
  readonly parent?: RunningCall | undefined;
}

const defaultMaxConcurrency = 1_000;

type TurnEnding = "cancelled" | "final" | "handoff" | "failed";

const declineCodes = {
  cancelled: "cancelled",
  final: "not_answered",
  handoff: "not_answered",
  failed: "not_answered",
  repeated: "unreadable_call",
} as const;

const declineMessages = {
  repeated: "Another call in this turn has the same id. See the reply to that call.",
  cancelled: "The turn was cancelled before this call was started.",
  final: "Another call of this turn gave the final answer before this one was started.",
  handoff: "Another call of this turn handed off to another agent before this one was started.",
  failed: "Another call of this turn failed before this one was started.",
};

/**
 * Makes the calls in parallel and returns the replies in the model's order. Calls that did not start before
 * the turn ended are recorded and answered.
 */
export const runTurn = (
  pipeline: ToolPipeline,
  requests: readonly CallRequest[],
  options: PipelineTurnOptions,
): Effect.Effect<readonly Reply[]> =>
  Effect.withFiber((turnFiber) => {
    const { parent } = options;
    const [only] = requests;
    // A single call without signals needs no extra fiber.
    if (
      only !== undefined &&
      requests.length === 1 &&
      options.signal === undefined &&
      options.lost === undefined
    ) {
      return Effect.map(pipeline.call(only, { parent }), (reply) => [reply]);
    }
    const fork = Effect.runForkWith(turnFiber.context);
    const duplicates = findDuplicateIds(requests);
    return Effect.callback<readonly Reply[]>((resume) => {
      const replies = new Array<Reply>(requests.length);
      /** Interrupted calls have closed their entries but cannot return to their fiber. */
      const lateReplies = new Map<number, Reply>();
      const running = new Map<number, Fiber.Fiber<Reply>>();
      const wanted = options.maxConcurrency ?? defaultMaxConcurrency;
      const limit = Number.isNaN(wanted) ? 1 : Math.max(1, wanted);
      let onDrained: (() => void) | undefined;
      let next = 0;
      let unanswered = requests.length;
      let isStopped = false;
      const isAborted = options.signal?.aborted === true || options.lost?.aborted === true;
      let ended: TurnEnding | undefined = isAborted ? "cancelled" : undefined;

      const start = (index: number): void => {
        const request = requests[index]!;
        const instead = duplicates?.has(index) ? "repeated" : ended;
        const fiber = fork(
          instead === undefined
            ? pipeline.call(request, { parent, onReply: (reply) => lateReplies.set(index, reply) })
            : pipeline.decline(request, toDeclineFailure(request, instead), { parent }),
        );
        const exit = fiber.pollUnsafe();
        if (exit !== undefined) {
          settle(index, exit);
          return;
        }
        running.set(index, fiber);
        // The call may have stopped the turn before it was added to `running`.
        if (isStopped && instead === undefined) fiber.interruptUnsafe(turnFiber.id);
        fiber.addObserver((late) => {
          running.delete(index);
          settle(index, late);
          startNext();
        });
      };

      const settle = (index: number, exit: Exit.Exit<Reply>): void => {
        const reply = Exit.isSuccess(exit)
          ? exit.value
          : (lateReplies.get(index) ?? cancelledReply(requests[index]!));
        replies[index] = reply;
        unanswered -= 1;
        if (ended !== undefined) return;
        if (reply.flow.kind === "final" || reply.flow.kind === "handoff") ended = reply.flow.kind;
        else if (reply.failure !== undefined && options.join === "fail-fast") stop("failed");
      };

      const stop = (reason: TurnEnding): void => {
        ended ??= reason;
        isStopped = true;
        for (const fiber of [...running.values()]) fiber.interruptUnsafe(turnFiber.id);
      };

      const startNext = (): void => {
        while (next < requests.length && running.size < limit) start(next++);
        if (unanswered > 0) return;
        options.signal?.removeEventListener("abort", abort);
        options.lost?.removeEventListener("abort", abort);
        onDrained?.();
        resume(
          Effect.succeed(
            duplicates === undefined ? replies : replies.filter((_, index) => !duplicates.has(index)),
          ),
        );
      };

      const abort = (): void => stop("cancelled");
      options.signal?.addEventListener("abort", abort, { once: true });
      options.lost?.addEventListener("abort", abort, { once: true });
      startNext();
      return Effect.callback<void>((done) => {
        onDrained = () => done(Effect.void);
        stop("cancelled");
        if (unanswered === 0) onDrained();
      });
    });
  });

const findDuplicateIds = (requests: readonly CallRequest[]): ReadonlySet<number> | undefined => {
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

const toDeclineFailure = ({ raw }: CallRequest, reason: keyof typeof declineMessages): Failure => ({
  code: declineCodes[reason],
  message: declineMessages[reason],
  tool: raw.tool,
});

const cancelledReply = ({ raw }: CallRequest): Reply =>
  toReply(raw, cancelledOutcome(raw.tool), "", noRedaction);

const noRedaction = { text: (text: string) => text, value: (value: unknown) => value };
