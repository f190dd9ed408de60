import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { CallContext } from "../../words/call.ts";
import { startWorker } from "./pooled-worker.ts";
import { runInThread } from "./run-in-thread.ts";
import { toolThread } from "./tool-thread.ts";
import { workerPool } from "./worker-pool.ts";

/** Where the code of a tool is: a module and the name of its export. */
export interface ToolModule {
  readonly url: string;
  /** The file's name alone: whole addresses say where things lie on the operator's machine. */
  readonly file: string;
  readonly name: string;
}

/** The threads of one tool in one runtime, as the code that calls run. */
export const openToolThreads = (
  { url, file, name }: ToolModule,
  most: number,
  scope: Scope.Scope | undefined,
): ((input: unknown, context: CallContext) => Effect.Effect<unknown, unknown>) => {
  const what = `The worker of ${file}`;
  const workerData = { url, file, name };
  const make = (): Worker => new Worker(toolThread, { eval: true, workerData, name: "haft-tool" });
  const pool = workerPool(what, startWorker(what, make), { most, queue: 1_000, idleMs: 30_000 });
  if (scope !== undefined) Effect.runSync(Scope.addFinalizer(scope, pool.close));
  return (input, context) => pool.use((pooled) => runInThread(pooled, input, context));
};
