import { existsSync } from "node:fs";
import { join } from "node:path";
import { Worker } from "node:worker_threads";
import * as Effect from "effect/Effect";
import { SandboxError } from "../../types/errors.ts";
import { type PooledWorker, startWorker } from "../workers/pooled-worker.ts";
import { here } from "./here.cjs";
import { flagBytes } from "./worker-messages.ts";

/** The program's WebAssembly memory is limited separately. */
const resourceLimits = {
  maxOldGenerationSizeMb: 128,
  maxYoungGenerationSizeMb: 16,
  codeRangeSizeMb: 32,
  stackSizeMb: 4,
};

export interface GuestWorker extends PooledWorker {
  /** See `sharedFlags`. */
  readonly shared: Int32Array;
  /** Number of programs so far. */
  programs: number;
}

/** Inherits no environment, arguments or output. */
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
    // Unread output would keep the process alive.
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

/** In the sources and in the package. */
const candidatePaths = ["worker/main.ts", "../sandbox/quickjs-worker.js"];

/** Undefined if the package was bundled without it. */
const findWorkerFile = (): string | undefined =>
  here === undefined
    ? undefined
    : candidatePaths.map((place) => join(here!, place)).find((file) => existsSync(file));
