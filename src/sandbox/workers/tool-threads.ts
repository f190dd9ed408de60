import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { CallContext } from "../../types/call.ts";
import { SandboxError, ToolExecutionError } from "../../types/errors.ts";
import { hardLimitGraceMs } from "../sandbox.ts";
import { type BindContext, withAsyncContext } from "../with-async-context.ts";
import { type PooledWorker, startWorker, terminateWorker } from "./pooled-worker.ts";
import { workerPool } from "./worker-pool.ts";

export interface ToolModule {
  readonly url: string;
  /** Without its path, which must not reach a model. */
  readonly file: string;
  readonly name: string;
}

export const openToolThreads = (
  { url, file, name }: ToolModule,
  max: number,
  scope: Scope.Scope | undefined,
): ((input: unknown, context: CallContext) => Effect.Effect<unknown, unknown>) => {
  const what = `The worker of ${file}`;
  const workerData = { url, file, name };
  const make = (): Worker => new Worker(toolThreadSource, { eval: true, workerData, name: "haft-tool" });
  const pool = workerPool(what, startWorker(what, make), { most: max, queue: 1_000, idleMs: 30_000 });
  if (scope !== undefined) Effect.runSync(Scope.addFinalizer(scope, pool.close));
  return (input, context) =>
    withAsyncContext((bind) =>
      pool.use((pooled) => runInThread(pooled, input, bindCallbacks(bind, context))),
    );
};

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

type ThreadContext = Omit<CallContext, "env" | "signal">;

let calls = 0;

/** Interruption terminates the thread. */
const runInThread = (
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

/** A string, because a bundle would not include a file. The tool's module is loaded by URL. */
const toolThreadSource = `
const { parentPort, workerData } = require("node:worker_threads");
const { url, file, name } = workerData;
const post = (message) => parentPort.postMessage(message);
const textOf = (error) => String(error?.message ?? error);
const errorInfo = (error) => ({
  kind: "error",
  name: typeof error?.name === "string" ? error.name : "Error",
  message: textOf(error),
  ...(typeof error?.retryAfterMs === "number" ? { retryAfterMs: error.retryAfterMs } : {}),
});
let call;
let requests = 0;
const secrets = new Map();
const secretOf = (number) => (name) =>
  new Promise((resolve, reject) => {
    const request = ++requests;
    secrets.set(request, { resolve, reject });
    post({ kind: "secret", number, value: String(name), request });
  });
const takeSecret = ({ request, value, error }) => {
  const waiting = secrets.get(request);
  secrets.delete(request);
  if (error === undefined) waiting?.resolve(value);
  else waiting?.reject(new Error(error));
};
const run = async (tool, { number, input, context }) => {
  const controller = new AbortController();
  call = { number, controller };
  const say = (kind) => (value) => {
    if (call?.number === number) post({ kind, number, value });
  };
  const given = {
    ...context,
    env: undefined,
    signal: controller.signal,
    progress: say("progress"),
    note: say("note"),
    cost: say("cost"),
    secret: secretOf(number),
  };
  let ending;
  try {
    ending = { kind: "value", value: await tool(input, given) };
  } catch (error) {
    ending = errorInfo(error);
  }
  call = undefined;
  try {
    post({ ...ending, number });
  } catch (error) {
    const message = "its value cannot be sent from the worker: " + textOf(error);
    post({ kind: "error", number, name: "TypeError", message });
  }
};
import(url).then(
  (module) => {
    const tool = module[name];
    if (typeof tool !== "function") throw new TypeError(file + " does not export a function named \\"" + name + "\\"");
    parentPort.on("message", (message) => {
      if (message.kind === "call") run(tool, message);
      else if (message.kind === "secret") takeSecret(message);
      else if (message.number === call?.number) call.controller.abort();
    });
    post({ kind: "ready" });
  },
).catch((error) => {
  // Thrown later, so that the host receives it as an error event of the worker.
  setImmediate(() => { throw error; });
});
`;

const bindCallbacks = (bind: BindContext, context: CallContext): ThreadContext => {
  const { callId, tool, idempotencyKey, principal, progress, note, cost, secret } = context;
  const boundCallbacks = { progress: bind(progress), note: bind(note), cost: bind(cost), secret };
  return { callId, tool, idempotencyKey, principal, ...boundCallbacks };
};
