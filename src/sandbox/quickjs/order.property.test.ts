import * as fc from "fast-check";
import { expect, it } from "vitest";
import { sandboxScene } from "../../../test/kit/sandbox-scene.ts";
import type { ProgramAnswer, ProgramCall } from "../sandbox.ts";
import { openEngine } from "./engine.ts";

const { run } = sandboxScene(openEngine({ most: 2 }));

/** Branches that call, wait, race and fail, so that the next call depends on the order of the answers. */
const source = `
  const seen = [];
  const branch = async (name, steps) => {
    for (const step of steps) {
      seen.push(name + step);
      try {
        if (step === 0) await null;
        else if (step === 1) seen.push(await tools.a({ name }));
        else if (step === 2) seen.push(await Promise.race([tools.a({ name, first: 1 }), tools.b({ name })]));
        else if (step === 3) seen.push(await Promise.all([tools.b({ name }), tools.a({ name })]));
        else if (step === 4) tools.b({ name, loose: Math.random() });
        else seen.push(await tools.c({ name, at: seen.length }));
      } catch (error) {
        seen.push(error.code);
      }
    }
  };
  await Promise.all(input.map((steps, at) => branch("b" + at, steps)));
  return seen;
`;

interface Story {
  readonly calls: readonly ProgramCall[];
  /** Call numbers in the order of their answers. */
  readonly answered: readonly number[];
  readonly ending: unknown;
  readonly idle: readonly number[];
}

/** Answers one open call each time the program waits, selected by `choose`. */
const reported = async (
  input: readonly (readonly number[])[],
  choose: (open: readonly number[], taken: number) => number | undefined,
): Promise<Story> => {
  const calls: ProgramCall[] = [];
  const open = new Map<number, (answer: ProgramAnswer) => void>();
  const answered: number[] = [];
  const idle: number[] = [];
  const { ending } = await run(source, {
    input,
    seed: "same",
    functions: ["a", "b", "c"],
    limits: { callsAtOnce: 1_000, calls: 1_000, cpuMs: 60_000, wallMs: 60_000 },
    answer: (call) => {
      calls.push(call);
      return new Promise((resolve) => open.set(call.number, resolve));
    },
    onIdle: (taken) => {
      idle.push(taken);
      const number = choose([...open.keys()], taken);
      if (number === undefined) return;
      const resolve = open.get(number);
      open.delete(number);
      answered.push(number);
      const { name } = calls[number]!;
      resolve?.(
        name === "c" ? { ok: false, message: "no", code: `c${number}` } : { ok: true, value: `${number}` },
      );
    },
  });
  return { calls, answered, ending, idle };
};

const branches = fc.array(fc.array(fc.nat(5), { maxLength: 4 }), { minLength: 1, maxLength: 4 });

it("makes the same calls in the same order for the same answers, and returns the same value", async () => {
  await fc.assert(
    fc.asyncProperty(branches, fc.infiniteStream(fc.nat(7)), async (input, choices) => {
      const first = await reported(input, (open) => open[choices.next().value! % open.length]);
      const again = await reported(input, (_, taken) => first.answered[taken]);
      expect(again).toEqual(first);
    }),
    { numRuns: 60 },
  );
});

it("processes answers one at a time in the order in which they were given", async () => {
  await fc.assert(
    fc.asyncProperty(fc.shuffledSubarray([0, 1, 2, 3, 4, 5], { minLength: 6 }), async (order) => {
      const open: ((answer: ProgramAnswer) => void)[] = [];
      const idle: number[] = [];
      const { ending } = await run(
        "const seen = []; await Promise.all(input.map(async (n) => { await tools.f(n); seen.push(n); await null; seen.push(n) })); return seen",
        {
          input: [0, 1, 2, 3, 4, 5],
          functions: ["f"],
          answer: ({ number }) =>
            new Promise((resolve) => {
              open[number] = resolve;
            }),
          onIdle: (taken) => {
            idle.push(taken);
            if (taken === 0) for (const number of order) open[number]!({ ok: true, value: "1" });
          },
        },
      );
      expect(ending).toEqual({ kind: "value", value: order.flatMap((number) => [number, number]) });
      expect(idle).toEqual([0, 1, 2, 3, 4, 5]);
    }),
    { numRuns: 20 },
  );
});
