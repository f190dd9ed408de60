import * as Effect from "effect/Effect";
import * as Layer from "effect/Layer";
import type { ProgramAnswer, ProgramResult } from "../../src/sandbox/sandbox.ts";
import { Sandboxes, type SandboxPool } from "../../src/sandbox/sandboxes.ts";

const AsyncFunction = (async () => {}).constructor as new (
  ...names: readonly string[]
) => (...given: readonly unknown[]) => Promise<unknown>;

/** Runs JavaScript in this very process, without any barrier: for tests of what stands around an engine. */
const pool: SandboxPool = {
  run: ({ source, functions = [], answer, onIdle, input = null }) =>
    Effect.callback<ProgramResult>((resume) => {
      let number = 0;
      let taken = 0;
      let isOver = false;
      /** One at a time, each followed by all that comes of it: the order alone decides what the program does. */
      const given: (() => void)[] = [];
      const next = () => {
        if (isOver) return;
        const give = given.shift();
        if (give === undefined) return onIdle?.(taken);
        give();
        taken += 1;
        setImmediate(next);
      };
      const call = (name: string) => (argument: unknown) =>
        new Promise((resolve, reject) => {
          const asked = { number: number++, name, input: JSON.stringify(argument ?? {}) };
          answer!(asked).then((answered) => {
            if (given.push(() => settle(answered, resolve, reject)) === 1) setImmediate(next);
          });
        });
      const end = (ending: ProgramResult["ending"]) => {
        if (isOver) return;
        isOver = true;
        const usage = { wallMs: 0, cpuMs: 0, calls: number };
        resume(Effect.succeed({ ending, logs: [], logsCut: false, files: {}, usage }));
      };
      const tools = nest(functions.map((name) => [name, call(name)] as const));
      new AsyncFunction("input", "tools", source)(input, tools).then(
        (value) => end({ kind: "value", value: value === undefined ? null : value }),
        (error: Error) => end({ kind: "error", name: error.name, message: error.message }),
      );
      setImmediate(next);
      return Effect.sync(() => {
        isOver = true;
      });
    }),
};

const settle = (
  answered: ProgramAnswer,
  resolve: (value: unknown) => void,
  reject: (error: Error) => void,
): void => {
  if (answered.ok) resolve(JSON.parse(answered.value));
  else reject(Object.assign(new Error(answered.message), { code: answered.code }));
};

const nest = (functions: readonly (readonly [string, unknown])[]): object => {
  const root: Record<string, unknown> = {};
  for (const [path, value] of functions) {
    const segments = path.split(".");
    const name = segments.pop()!;
    let folder = root;
    for (const segment of segments) {
      folder[segment] ??= {};
      folder = folder[segment] as Record<string, unknown>;
    }
    folder[name] = value;
  }
  return root;
};

export const openSandbox: Layer.Layer<Sandboxes> = Layer.succeed(Sandboxes, pool);
