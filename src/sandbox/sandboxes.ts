import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { Scope } from "effect/Scope";
import type { SandboxError } from "../types/errors.ts";
import type { EngineName, ProgramResult, SandboxProgram } from "./sandbox.ts";

/** The engines of a runtime, each opened by the first program that needs it and closed with the runtime. */
export interface SandboxPool {
  /** Runs a program in the engine that is named, or else in the first that its language has: QuickJS, or Pyodide for Python. */
  readonly run: (program: SandboxProgram, engine?: EngineName) => Effect<ProgramResult, SandboxError>;
  /** False: tools of `worker` run in the thread of the host. Programs never do. Unless set: true. */
  readonly threads?: boolean;
  /** What is kept ready for tools is ended with it. Unless set: when it was not used for a while. */
  readonly scope?: Scope;
}

/** The service that runs untrusted code. */
export class Sandboxes extends Context.Service<Sandboxes, SandboxPool>()("haft/Sandboxes") {}
