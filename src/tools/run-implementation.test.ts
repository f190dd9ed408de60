import * as Context from "effect/Context";
import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { describe, expect, it } from "vitest";
import { effectOf } from "../../test/kit/effect-of.ts";
import type { CallContext } from "../types/call.ts";
import type { ToolSpec } from "../types/tool.ts";
import { effectImplementation } from "./effect-implementation.ts";
import { type RunFunction, runImplementation } from "./tool-definition.ts";

const spec = {} as ToolSpec;
/** Creating the signal is lazy, so the implementation must not read it. */
const context = {
  get signal(): AbortSignal {
    throw new Error("the signal was read");
  },
} as CallContext;

const run = (code: RunFunction, input: unknown = {}): Effect.Effect<unknown, unknown> =>
  effectOf(runImplementation(code).bind(spec)(input, context));

describe("runImplementation", () => {
  it("passes input and context", () => {
    const seen: unknown[] = [];
    Effect.runSync(run((input, given) => seen.push(input, given), { city: "Oslo" }));
    expect(seen).toEqual([{ city: "Oslo" }, context]);
    expect(seen[1]).toBe(context);
  });

  it("succeeds synchronously for a returned value", () => {
    expect(Effect.runSync(run(() => 42))).toBe(42);
    expect(Effect.runSync(run(() => undefined))).toBe(undefined);
    expect(Effect.runSync(run(() => null))).toBe(null);
    expect(Effect.runSync(run(() => ({ then: "not a function" })))).toEqual({ then: "not a function" });
  });

  it("succeeds with the result of a promise", async () => {
    expect(await Effect.runPromise(run(async () => "later"))).toBe("later");
  });

  it("awaits any thenable, even one that throws", async () => {
    const kept = { then: (resolve: (value: string) => void) => resolve("kept") };
    const thrown = {
      then: () => {
        throw "no";
      },
    };
    expect(await Effect.runPromise(run(() => kept))).toBe("kept");
    expect(await Effect.runPromiseExit(run(() => thrown))).toEqual(Exit.fail("no"));
  });

  it("fails with a thrown error or rejection", async () => {
    const boom = new Error("boom");
    expect(
      Effect.runSyncExit(
        run(() => {
          throw boom;
        }),
      ),
    ).toEqual(Exit.fail(boom));
    expect(await Effect.runPromiseExit(run(() => Promise.reject(boom)))).toEqual(Exit.fail(boom));
  });

  it("returns an Effect as it is", () => {
    const effect = Effect.succeed(1);
    expect(run(() => effect)).toBe(effect);
  });

  it("binds once without a closure per call", () => {
    const implementation = runImplementation(() => 1);
    expect(implementation._tag).toBe("function");
    expect(implementation.bind(spec)).toBe(implementation.bind(spec));
    expect(Object.isFrozen(implementation)).toBe(true);
  });
});

describe("effectImplementation", () => {
  it("runs with services of the runtime", () => {
    class Clouds extends Context.Service<Clouds, { readonly cover: number }>()("test/Clouds") {}
    const implementation = effectImplementation({
      execute: (input: { readonly factor: number }) =>
        Effect.map(Clouds, ({ cover }) => cover * input.factor),
    });
    const effect = effectOf(implementation.bind(spec)({ factor: 2 }, context));
    expect(implementation._tag).toBe("effect");
    expect(Effect.runSync(Effect.provideService(effect, Clouds, { cover: 4 }))).toBe(8);
  });
});
