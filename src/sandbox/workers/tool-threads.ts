import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { CallContext } from "../../types/call.ts";
import { type BindContext, withAsyncContext } from "../with-async-context.ts";
import { startWorker } from "./pooled-worker.ts";
import { runInThread, type ThreadContext } from "./run-in-thread.ts";
import { toolThreadSource } from "./tool-thread-source.ts";
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

const bindCallbacks = (bind: BindContext, context: CallContext): ThreadContext => {
  const { callId, tool, idempotencyKey, principal, progress, note, cost, secret } = context;
  const boundCallbacks = { progress: bind(progress), note: bind(note), cost: bind(cost), secret };
  return { callId, tool, idempotencyKey, principal, ...boundCallbacks };
};
