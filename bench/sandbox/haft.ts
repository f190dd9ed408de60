import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import * as ManagedRuntime from "effect/ManagedRuntime";
import { configurationLayer, Sandboxes, sandboxesLayer } from "../../dist/effect.js";
import type { SandboxContender } from "./contender.ts";

/** QuickJS in pooled workers, as tools and code mode use it. */
export const haft: SandboxContender = {
  name: "Haft, QuickJS in a worker",
  open: async () => {
    const runtime = ManagedRuntime.make(Layer.provide(sandboxesLayer, configurationLayer()));
    const pool = await runtime.runPromise(Sandboxes);
    const limits = { calls: 100_000, cpuMs: 60_000 };
    return {
      run: async (source, input, answer) => {
        const { ending } = await Effect.runPromise(
          pool.run({
            language: "javascript",
            source,
            input,
            limits,
            functions: ["f"],
            answer: async (call) => ({ ok: true, value: await answer(call.input) }),
          }),
        );
        if (ending.kind !== "value") throw new Error(ending.message);
        return ending.value;
      },
      close: () => runtime.dispose(),
    };
  },
};
