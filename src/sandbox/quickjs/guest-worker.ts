import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { type PooledWorker, startWorker } from "../workers/pooled-worker.ts";
import { findWorkerFile } from "./find-worker-file.ts";
import { flagBytes } from "./worker-messages.ts";

/** For the worker itself: the program's memory is WebAssembly's, which is bounded elsewhere. */
const resourceLimits = {
  maxOldGenerationSizeMb: 128,
  maxYoungGenerationSizeMb: 16,
  codeRangeSizeMb: 32,
  stackSizeMb: 4,
};

/** A thread in which programs run, one after the other. */
export interface GuestWorker extends PooledWorker {
  /** Memory that both sides see: see `flags`. */
  readonly shared: Int32Array;
  /** Programs so far. */
  programs: number;
}

/** Starts a worker that can run programs. It inherits nothing: no environment, no arguments, no output. */
export const startGuestWorker: Effect.Effect<GuestWorker, SandboxError> = Effect.suspend(() => {
  const file = findWorkerFile();
  if (file === undefined) return Effect.fail(workerMissingError());
  const shared = new Int32Array(new SharedArrayBuffer(flagBytes));
  const inherited = { env: {}, execArgv: [], argv: [], stdin: false, stdout: true, stderr: true };
  const make = (): Worker => {
    const worker = new Worker(file, {
      ...inherited,
      workerData: shared.buffer,
      resourceLimits,
      name: "haft-quickjs",
    });
    // What is printed in it, such as a warning of Node, would keep the process alive until somebody reads it.
    worker.stdout.destroy();
    worker.stderr.destroy();
    return worker;
  };
  return Effect.map(startWorker("The JavaScript engine", make), (started) =>
    Object.assign(started, { shared, programs: 0 }),
  );
});

const workerMissingError = (): SandboxError =>
  new SandboxError(
    "sandbox_failed",
    "The JavaScript engine cannot be started: its files were left out when this program was bundled. Keep the package haft out of the bundle (esbuild: --packages=external, Vite: ssr.external).",
    { ran: false },
  );
