import type * as Effect from "effect/Effect";
import type { Scope } from "effect/Scope";
import type { Sandbox } from "../../../../src/sandbox/sandbox.ts";
import type { SandboxError } from "../../../../src/types/errors.ts";

type Opened = Effect.Effect<Sandbox, SandboxError, Scope>;

/** The engines of the package and how to open them. */
export const shippedEngines = {
  quickjs: async (): Promise<Opened> =>
    (await import("../../../../src/sandbox/quickjs/engine.ts")).openEngine(),
  deno: async (): Promise<Opened> => (await import("../../../../src/sandbox/deno/engine.ts")).openEngine(),
  pyodide: async (): Promise<Opened> =>
    (await import("../../../../src/sandbox/pyodide/engine.ts")).openEngine({ keepReady: false }),
  bubblewrap: async (): Promise<Opened> =>
    (await import("../../../../src/sandbox/bubblewrap/engine.ts")).openEngine(),
} as const;
export type ShippedEngineName = keyof typeof shippedEngines;

/** Measured memory that each engine needs itself, rounded up to megabytes. */
export const ownMegabytes: Readonly<Record<ShippedEngineName, number>> = {
  quickjs: 64,
  deno: 64,
  pyodide: 256,
  bubblewrap: 32,
};

export const isShipped = (name: string): name is ShippedEngineName => Object.hasOwn(shippedEngines, name);

/** The engines for each language. */
export const enginesOf = {
  javascript: ["quickjs", "deno"],
  python: ["pyodide", "bubblewrap"],
} as const satisfies Readonly<Record<string, readonly ShippedEngineName[]>>;
