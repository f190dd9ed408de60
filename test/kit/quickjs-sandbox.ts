import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import { openEngine } from "../../src/sandbox/quickjs/engine.ts";
import { Sandboxes } from "../../src/sandbox/sandboxes.ts";
import type { SandboxError } from "../../src/words/errors.ts";

/** QuickJS alone as what runs untrusted code, closed with the runtime. */
export const quickjsSandbox: Layer.Layer<Sandboxes, SandboxError> = Layer.effect(
  Sandboxes,
  Effect.map(openEngine(), ({ run }) => ({ run: (program) => run(program) })),
);
