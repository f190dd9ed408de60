import * as Effect from "effect/Effect";
import * as Exit from "effect/Exit";
import { describe, expect, it } from "vitest";
import { effectOf } from "../../test/kit/effect-of.ts";
import type { CallContext, ToolFunction } from "../types/call.ts";
import type { ToolSpec } from "../types/tool.ts";
import { classImplementation, type ToolClass } from "./class-implementation.ts";

const spec = {} as ToolSpec;
const context = { callId: "one" } as CallContext;

/** An implementation with a new class that records its instances and runs. */
const counted = () => {
  const made: object[] = [];
  const ran: unknown[][] = [];
  class Counted {
    readonly input: unknown;
    constructor(input: object) {
      this.input = input;
      made.push(this);
    }
    run(input: unknown, given: CallContext): string {
      ran.push([this, input, given]);
      return "original";
    }
  }
  const implementation = classImplementation(Counted as ToolClass);
  const run = implementation.bind(spec) as ToolFunction;
  return {
    made,
    ran,
    implementation,
    answer: (input: unknown) => Effect.runSyncExit(effectOf(run(input, context))),
  };
};

describe("classImplementation", () => {
  it("creates an instance per run and passes input and context", () => {
    const { made, ran, answer, implementation } = counted();
    const input = Object.freeze({ city: "Oslo" });
    expect([answer(input), answer(input)]).toEqual([Exit.succeed("original"), Exit.succeed("original")]);
    expect(made).toHaveLength(2);
    expect(made[0]).not.toBe(made[1]);
    expect(ran.map(([instance]) => instance)).toEqual(made);
    expect(ran[0]?.[1]).toBe(input);
    expect(ran[0]?.[2]).toBe(context);
    expect(implementation._tag).toBe("class");
    expect(implementation.className).toBe("Counted");
    expect(Object.isFrozen(implementation)).toBe(true);
  });

  it("runs the instance that was prepared for the input once", () => {
    const { made, ran, answer, implementation } = counted();
    const input = Object.freeze({ city: "Oslo" });
    const instance = implementation.prepare(input);
    expect(implementation.prepare(input)).toBe(instance);
    answer(Object.freeze({ city: "Oslo" }));
    answer(input);
    answer(input);
    expect(made).toHaveLength(3);
    expect(ran.map(([each]) => each === instance)).toEqual([false, true, false]);
  });

  it("runs the method of the class even when the instance has another run", () => {
    const { ran, answer, implementation } = counted();
    const input = Object.freeze({});
    const instance = implementation.prepare(input);
    Object.defineProperty(instance, "run", { value: () => "shadow" });
    expect(answer(input)).toEqual(Exit.succeed("original"));
    expect(ran[0]?.[0]).toBe(instance);
  });

  it("creates another instance for the run when the prepared input is not an object", () => {
    const { made, answer, implementation } = counted();
    expect(implementation.prepare("text")).toBe(made[0]);
    expect(answer("text")).toEqual(Exit.succeed("original"));
    expect(made).toHaveLength(2);
  });

  it("fails with the error of the constructor when running or preparing", () => {
    const boom = new Error("boom");
    class Broken {
      constructor() {
        throw boom;
      }
      run(): void {}
    }
    const implementation = classImplementation(Broken);
    const run = implementation.bind(spec) as ToolFunction;
    expect(Effect.runSyncExit(effectOf(run({}, context)))).toEqual(Exit.fail(boom));
    expect(() => implementation.prepare({})).toThrow(boom);
  });

  it("supports values, promises, Effects and thrown errors", async () => {
    const answer = (Class: ToolClass): Promise<unknown> =>
      Effect.runPromise(
        Effect.flip(
          Effect.flip(effectOf((classImplementation(Class).bind(spec) as ToolFunction)({}, context))),
        ),
      );
    class Value {
      run = (): number => 1;
    }
    class Promised {
      async run(): Promise<number> {
        return 2;
      }
    }
    class Effectful {
      run(): Effect.Effect<number> {
        return Effect.succeed(3);
      }
    }
    class Throwing {
      run(): number {
        throw new Error("four");
      }
    }
    expect(await Promise.all([Value, Promised, Effectful].map(answer))).toEqual([1, 2, 3]);
    await expect(answer(Throwing)).rejects.toThrow("four");
  });
});
