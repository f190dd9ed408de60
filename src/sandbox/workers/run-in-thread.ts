import * as Effect from "effect/Effect";
import type { CallContext } from "../../types/call.ts";
import { SandboxError, ToolExecutionError } from "../../types/errors.ts";
import { hardLimitGraceMs } from "../sandbox.ts";
import { type PooledWorker, terminateWorker } from "./pooled-worker.ts";

type ThreadMessage =
  | { readonly kind: "progress"; readonly number: number; readonly value: unknown }
  | { readonly kind: "note"; readonly number: number; readonly value: string }
  | { readonly kind: "cost"; readonly number: number; readonly value: number }
  | { readonly kind: "secret"; readonly number: number; readonly value: string; readonly request: number }
  | { readonly kind: "value"; readonly number: number; readonly value: unknown }
  | {
      readonly kind: "error";
      readonly number: number;
      readonly name: string;
      readonly message: string;
      readonly retryAfterMs?: number;
    };

export type ThreadContext = Omit<CallContext, "env" | "signal">;

let calls = 0;

/** Interruption terminates the thread. */
export const runInThread = (
  pooled: PooledWorker,
  input: unknown,
  context: ThreadContext,
): Effect.Effect<unknown, ToolExecutionError | SandboxError> =>
  Effect.callback((resume) => {
    const { worker } = pooled;
    const number = ++calls;
    const end = (answer: Effect.Effect<unknown, ToolExecutionError | SandboxError>): void => {
      worker.off("message", onMessage);
      worker.off("exit", onExit);
      resume(answer);
    };
    const onMessage = (said: ThreadMessage): void => {
      if (said.number !== number) return;
      if (said.kind === "progress") context.progress(said.value);
      else if (said.kind === "note") context.note(said.value);
      else if (said.kind === "cost") context.cost(said.value);
      else if (said.kind === "secret") answerSecret(worker, said, context);
      else {
        pooled.isSound = true;
        end(
          said.kind === "value" ? Effect.succeed(said.value) : Effect.fail(toThreadError(said, context.tool)),
        );
      }
    };
    const onExit = (): void => end(Effect.fail(threadLostError(context.tool)));
    pooled.isSound = false;
    worker.on("message", onMessage);
    worker.on("exit", onExit);
    const { callId, tool, idempotencyKey, principal } = context;
    try {
      const plain = { callId, tool, idempotencyKey, principal };
      worker.postMessage({ kind: "call", number, input, context: plain });
    } catch (error) {
      pooled.isSound = true;
      end(Effect.fail(unsendableInputError(tool, error)));
    }
    return stopCall(pooled, number);
  });

const answerSecret = (
  worker: PooledWorker["worker"],
  { value: name, number, request }: Extract<ThreadMessage, { readonly kind: "secret" }>,
  context: ThreadContext,
): void => {
  const reply = (answer: object): void => worker.postMessage({ kind: "secret", number, request, ...answer });
  const asked = Effect.tryPromise({ try: () => context.secret(name), catch: (error) => error as Error });
  Effect.runFork(
    Effect.match(asked, {
      onSuccess: (value) => reply({ value }),
      onFailure: ({ message }) => reply({ error: message }),
    }),
  );
};

/** The tool can react to the abort signal before its thread is terminated. */
const stopCall = (pooled: PooledWorker, number: number): Effect.Effect<void> =>
  Effect.callback((over) => {
    const { worker } = pooled;
    const alarm = setTimeout(() => terminateWorker(pooled, () => over(Effect.void)), hardLimitGraceMs);
    worker.on("message", function onMessage(said: ThreadMessage): void {
      if (said.number !== number || (said.kind !== "value" && said.kind !== "error")) return;
      worker.off("message", onMessage);
      clearTimeout(alarm);
      over(Effect.void);
    });
    worker.postMessage({ kind: "stop", number });
  });

const toThreadError = (
  { name, message, retryAfterMs }: Extract<ThreadMessage, { readonly kind: "error" }>,
  tool: string,
): ToolExecutionError => {
  const named = name === "Error" ? message : `${name}: ${message}`;
  const later = retryAfterMs === undefined ? {} : { retryAfterMs };
  return new ToolExecutionError("failed", `The tool "${tool}" failed: ${named}`, later);
};

const threadLostError = (tool: string): SandboxError =>
  new SandboxError("sandbox_failed", `The worker of the tool "${tool}" ended before it answered.`);

const unsendableInputError = (tool: string, error: unknown): ToolExecutionError => {
  const why = (error as Error).message;
  return new ToolExecutionError(
    "failed",
    `The input of the tool "${tool}" cannot be sent to its worker: ${why}`,
  );
};
