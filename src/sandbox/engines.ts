import type { Effect } from "effect/Effect";
import type { Scope } from "effect/Scope";
import type { SandboxError } from "../types/errors.ts";
import type { EngineName, Sandbox } from "./sandbox.ts";

export interface EngineModule {
  /** Refuses where the engine is missing, or cannot hold what it promises on this system. */
  readonly openEngine: () => Effect<Sandbox, SandboxError, Scope>;
}

/** What is loaded for each engine, by the first program that needs it. */
export const engines: Readonly<Record<EngineName, () => Promise<EngineModule>>> = {
  quickjs: () => import("./quickjs/engine.ts"),
  deno: () => import("./deno/engine.ts"),
  pyodide: () => import("./pyodide/engine.ts"),
  bubblewrap: () => import("./bubblewrap/engine.ts"),
};
