import { availableParallelism } from "node:os";
import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import type { CallContext } from "../words/call.ts";
import { ToolDefinitionError } from "../words/errors.ts";
import type { Implementation } from "../words/tool.ts";
import { Sandboxes, type SandboxPool } from "./sandboxes.ts";

/** Which function of the module is the tool. */
export interface WorkerOptions {
  /** Unless set: `default`. */
  readonly export?: string;
  /** Threads of this tool at once; more calls wait. Unless set: one for each core, and at least two. */
  readonly most?: number;
}

/** What a tool in a worker is told of its call. It cannot make calls of its own, and has no `env`: both stay with the host. */
export type WorkerContext = Omit<CallContext, "env">;

/**
 * A trusted tool whose code may block: `worker(new URL("./tool.ts", import.meta.url))`. Its module's function
 * `(input, context)` runs in a thread that is ended when the call is cancelled or its time is up, whatever the code does.
 * Only what can be copied goes in and comes out. It is no sandbox: the code may do what the program may.
 */
export const worker = (url: URL, options: WorkerOptions = {}): Implementation<Sandboxes> => {
  if (!(url instanceof URL) || url.protocol !== "file:") {
    const message = 'A tool in a worker is a module on disk: worker(new URL("./tool.ts", import.meta.url)).';
    throw new ToolDefinitionError("invalid_definition", message);
  }
  const { export: name = "default", most = Math.max(2, availableParallelism()) } = options;
  const threads = threadsOf(url.href, name, most);
  return Object.freeze({
    _tag: "worker",
    bind: () => (input: unknown, context: CallContext) =>
      Effect.flatMap(Sandboxes, (sandboxes) =>
        sandboxes.threads === false
          ? runHere(url.href, name, input, context)
          : Effect.flatMap(threads(sandboxes), (run) => run(input, context)),
      ),
  });
};

type RunTool = (input: unknown, context: CallContext) => Effect.Effect<unknown, unknown>;

/** Each runtime has threads of its own, which end with it. They are loaded and started by the first call. */
const threadsOf = (url: string, name: string, most: number) => {
  const pools = new WeakMap<SandboxPool, RunTool>();
  return (sandboxes: SandboxPool): Effect.Effect<RunTool> =>
    Effect.map(loadThreads, ([{ workerPool }, { startWorker }, { runInThread }, { toolThread }]) => {
      const known = pools.get(sandboxes);
      if (known !== undefined) return known;
      const what = `The worker of ${fileOf(url)}`;
      const start = startWorker(
        what,
        () => new Worker(toolThread, { eval: true, workerData: { url, name }, name: "haft-tool" }),
      );
      const pool = workerPool(what, start, { most, queue: 1_000, idleMs: 30_000 });
      if (sandboxes.scope !== undefined) Effect.runSync(Scope.addFinalizer(sandboxes.scope, pool.close));
      const run: RunTool = (input, context) => pool.use((pooled) => runInThread(pooled, input, context));
      pools.set(sandboxes, run);
      return run;
    });
};

const loadThreads = Effect.promise(() =>
  Promise.all([
    import("./workers/worker-pool.ts"),
    import("./workers/pooled-worker.ts"),
    import("./workers/run-in-thread.ts"),
    import("./workers/tool-thread.ts"),
  ]),
);

const runHere = (
  url: string,
  name: string,
  input: unknown,
  context: CallContext,
): Effect.Effect<unknown, unknown> =>
  Effect.tryPromise({
    try: () =>
      import(url).then((module) => {
        if (typeof module[name] === "function") return module[name](input, context);
        throw new TypeError(`${fileOf(url)} has no function as its export "${name}"`);
      }),
    catch: (error) => error,
  });

/** Whole addresses say where things lie on the operator's machine. */
const fileOf = (url: string): string => url.slice(url.lastIndexOf("/") + 1);
