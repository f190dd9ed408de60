import * as Effect from "effect/Effect";
import * as Scope from "effect/Scope";
import { afterAll } from "vitest";
import type { ProgramResult, Sandbox, SandboxProgram } from "../../src/sandbox/sandbox.ts";
import type { SandboxError } from "../../src/types/errors.ts";

/** An engine for the tests of one file, which is closed after them, and helpers to run JavaScript in it. */
export const sandboxScene = (open: Effect.Effect<Sandbox, SandboxError, Scope.Scope>) => {
  const scope = Effect.runSync(Scope.make());
  const engine = Effect.runSync(Scope.provide(open, scope));
  afterAll(() => engine.close());
  const { run, ending: endingOf } = programRunner(() => engine);
  /** The value of a program. A program without one fails the test. */
  const resultOf = async (source: string, more: Partial<SandboxProgram> = {}): Promise<unknown> => {
    const ending = await endingOf(source, more);
    if (ending.kind !== "value") throw new Error(JSON.stringify(ending));
    return ending.value;
  };
  return { engine, run, endingOf, resultOf };
};

/**
 * Runs JavaScript programs in an engine that is opened before them, and returns their results, endings or
 * values.
 */
export const programRunner = (box: () => Sandbox) => {
  const run = (source: string, more: Partial<SandboxProgram> = {}): Promise<ProgramResult> =>
    Effect.runPromise(box().run({ language: "javascript", source, ...more }));
  const ending = async (source: string, more?: Partial<SandboxProgram>) => (await run(source, more)).ending;
  const value = async (source: string, more?: Partial<SandboxProgram>): Promise<unknown> => {
    const how = await ending(source, more);
    return how.kind === "value" ? how.value : how;
  };
  return { run, ending, value };
};
