import { availableParallelism } from "node:os";
import * as Effect from "effect/Effect";
import type { CallContext } from "../types/call.ts";
import { ToolDefinitionError } from "../types/errors.ts";
import type { Implementation } from "../types/tool.ts";
import { Sandboxes, type SandboxPool } from "./sandboxes.ts";
import type { openToolThreads, ToolModule } from "./workers/tool-threads.ts";

/** Which function of the module is the tool. */
export interface ToolWorkerOptions {
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
export const worker = (url: URL, options: ToolWorkerOptions = {}): Implementation<Sandboxes> => {
  if (!(url instanceof URL) || url.protocol !== "file:") {
    const message = 'A tool in a worker is a module on disk: worker(new URL("./tool.ts", import.meta.url)).';
    throw new ToolDefinitionError("invalid_definition", message);
  }
  const { export: name = "default", most = Math.max(2, availableParallelism()) } = options;
  const module = { url: url.href, file: url.pathname.slice(url.pathname.lastIndexOf("/") + 1), name };
  // Each runtime has threads of its own, which end with it.
  const opened = new WeakMap<SandboxPool, ReturnType<typeof openToolThreads>>();
  const runApart = (sandboxes: SandboxPool, input: unknown, context: CallContext) =>
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
          : runApart(sandboxes, input, context),
      ),
  });
};

/** Loaded by the first call: a definition needs none of it. */
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
        throw new TypeError(`${file} has no function as its export "${name}"`);
      }),
    catch: (error) => error,
  });
