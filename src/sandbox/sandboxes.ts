import * as Context from "effect/Context";
import type { Effect } from "effect/Effect";
import type { Scope } from "effect/Scope";
import type { SandboxError } from "../types/errors.ts";
import type { EngineName, ProgramResult, SandboxProgram } from "./sandbox.ts";

/** The engines of a runtime. Each opens with its first program and closes with the runtime. */
export interface SandboxPool {
  /** Runs a program in the named engine. Unless set: QuickJS, or Pyodide for Python. */
  readonly run: (program: SandboxProgram, engine?: EngineName) => Effect<ProgramResult, SandboxError>;
  /**
   * Whether tools of `worker` run in their own threads. `false` runs them in the host thread. Unless set:
   * true.
   */
  readonly threads?: boolean;
  /** Scope in which threads of tools are closed. Unless set: threads close when idle. */
  readonly scope?: Scope;
}

/** The service that runs untrusted code. */
export class Sandboxes extends Context.Service<Sandboxes, SandboxPool>()("haft/Sandboxes") {}
