import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../words/errors.ts";
import { secondBarrierMs } from "../sandbox.ts";
import { flagBytes } from "./wire.ts";
import { findWorkerFile } from "./worker-file.cjs";

/** How long a worker may take until it can run programs. Only a machine that does nothing else takes so long. */
const startMs = 60_000;

/** For the worker itself: the program's memory is WebAssembly's, which is bounded elsewhere. */
const resourceLimits = {
  maxOldGenerationSizeMb: 128,
  maxYoungGenerationSizeMb: 16,
  codeRangeSizeMb: 32,
  stackSizeMb: 4,
};

/** A thread in which programs run, one after the other. */
export interface GuestWorker {
  readonly worker: Worker;
  /** Memory that both sides see: see `flags`. */
  readonly shared: Int32Array;
  /** Programs so far. */
  programs: number;
  /** False from the start of a program until it is over in a way that leaves nothing behind. */
  isSound: boolean;
  /** Why it is gone, once it is. */
  gone: { readonly isOutOfMemory: boolean } | undefined;
}

/** Starts a worker and waits until it can run programs. */
export const startWorker: Effect.Effect<GuestWorker, SandboxError> = Effect.callback((resume) => {
  const file = findWorkerFile();
  if (file === undefined) {
    resume(
      Effect.fail(
        cannotStart(
          "its file was left out when this program was bundled. Keep haft out of the bundle (esbuild: --packages=external; Vite: ssr.external)",
        ),
      ),
    );
    return;
  }
  const shared = new Int32Array(new SharedArrayBuffer(flagBytes));
  const worker = new Worker(file, {
    workerData: shared.buffer,
    resourceLimits,
    env: {},
    execArgv: [],
    argv: [],
    stdin: false,
    // Not inherited: what the worker would print goes nowhere.
    stdout: true,
    stderr: true,
    name: "haft-quickjs",
  });
  const started: GuestWorker = { worker, shared, programs: 0, isSound: true, gone: undefined };
  const alarm = setTimeout(() => fail("it did not start"), startMs);
  const settle = (): void => {
    clearTimeout(alarm);
    worker.off("message", onReady);
  };
  const fail = (why: string): void => {
    settle();
    resume(Effect.andThen(endWorker(started), Effect.fail(cannotStart(why))));
  };
  const onReady = (): void => {
    settle();
    resume(Effect.succeed(started));
  };
  worker.once("error", (error: Error & { readonly code?: unknown }) => {
    started.gone ??= { isOutOfMemory: error.code === "ERR_WORKER_OUT_OF_MEMORY" };
    fail(error.message);
  });
  worker.once("exit", () => {
    started.gone ??= { isOutOfMemory: false };
    fail("it ended");
  });
  worker.on("message", onReady);
  return Effect.suspend(() => {
    settle();
    return endWorker(started);
  });
});

/** Ends a worker whatever it does, and tells when. It is not waited for forever, though the engine's code can always be stopped. */
export const endNow = (guest: GuestWorker, over: () => void): void => {
  guest.isSound = false;
  if (guest.gone !== undefined) {
    over();
    return;
  }
  const alarm = setTimeout(over, secondBarrierMs);
  guest.worker.once("exit", () => {
    clearTimeout(alarm);
    over();
  });
  void guest.worker.terminate();
};

export const endWorker = (guest: GuestWorker): Effect.Effect<void> =>
  Effect.callback((resume) => endNow(guest, () => resume(Effect.void)));

const cannotStart = (why: string): SandboxError =>
  new SandboxError("sandbox_failed", `The JavaScript engine cannot be started: ${why}.`, { ran: false });
