import { availableParallelism } from "node:os";
import * as Effect from "effect/Effect";
import type { CallContext } from "../types/call.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import type { Implementation } from "../types/tool.ts";
import { Sandboxes, type SandboxPool } from "./sandboxes.ts";
import type { openToolThreads, ToolModule } from "./workers/tool-threads.ts";

/** Options of a tool that runs in a worker thread. */
export interface ToolWorkerOptions {
  /** Name of the exported function. Unless set: `default`. */
  readonly export?: string;
  /**
   * Maximum number of threads for this tool; more calls are queued. Unless set: one per core, and at least
   * two.
   */
  readonly most?: number;
}

/** The call context in a worker. A tool in a worker cannot make calls and has no `env`. */
export type WorkerContext = Omit<CallContext, "env">;

/**
 * Implements a trusted tool whose code may block: `worker(new URL("./tool.ts", import.meta.url))`. The
 * exported function `(input, context)` runs in a thread that is terminated on cancellation and timeout.
 * Inputs and results must be cloneable. This is not a sandbox: the code has all rights of the process.
 */
export const worker = (url: URL, options: ToolWorkerOptions = {}): Implementation<Sandboxes> => {
  if (!(url instanceof URL) || url.protocol !== "file:") {
    const message =
      'A tool in a worker must be a module on disk: worker(new URL("./tool.ts", import.meta.url)).';
    throw new ToolDefinitionError("invalid_definition", message);
  }
  const { export: name = "default", most = Math.max(2, availableParallelism()) } = options;
  const module = { url: url.href, file: url.pathname.slice(url.pathname.lastIndexOf("/") + 1), name };
  // Each runtime has its own threads.
  const opened = new WeakMap<SandboxPool, ReturnType<typeof openToolThreads>>();
  const runInOwnThread = (sandboxes: SandboxPool, input: unknown, context: CallContext) =>
    Effect.flatMap(loadToolThreads, ({ openToolThreads }) => {
      const run = opened.get(sandboxes) ?? openToolThreads(module, most, sandboxes.scope);
      opened.set(sandboxes, run);
      return run(input, context);
    });
  return Object.freeze({
    _tag: "worker",
    bind: () => (input: unknown, context: CallContext) =>
      Effect.flatMap(Sandboxes, (sandboxes) =>
        sandboxes.threads === false
          ? runInHostThread(module, input, context)
          : runInOwnThread(sandboxes, input, context),
      ),
  });
};

const loadToolThreads = Effect.promise(() => import("./workers/tool-threads.ts"));

const runInHostThread = (
  { url, file, name }: ToolModule,
  input: unknown,
  context: CallContext,
): Effect.Effect<unknown, unknown> =>
  Effect.tryPromise({
    try: () =>
      import(url).then((module) => {
        if (typeof module[name] === "function") return module[name](input, context);
        throw new TypeError(`${file} does not export a function named "${name}"`);
      }),
    catch: (error) => error,
  });
