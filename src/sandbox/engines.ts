import type { Effect } from "effect/Effect";
import type { Scope } from "effect/Scope";
import type { SandboxError } from "../types/errors.ts";
import type { EngineName, Sandbox } from "./sandbox.ts";

export interface EngineModule {
  /** Fails if the engine is missing or cannot enforce its limits here. */
  readonly openEngine: () => Effect<Sandbox, SandboxError, Scope>;
}

export const engines: Readonly<Record<EngineName, () => Promise<EngineModule>>> = {
  quickjs: () => import("./quickjs/engine.ts"),
  deno: () => import("./deno/engine.ts"),
  pyodide: () => import("./pyodide/engine.ts"),
  bubblewrap: () => import("./bubblewrap/engine.ts"),
};
