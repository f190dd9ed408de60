import { drawSample, type Mutant } from "./sample.ts";

/**
 * A Stryker checker that only accepts the sample. Stryker has no other way to leave out single mutants;
 * mutants rejected by a checker are not valid, so the score is that of the sample.
 */
let sample: ReadonlySet<string> | undefined;

const checker = {
  init: async () => {},
  // Receives all mutants at once, and `check` runs in the same process, because two workers share one
  // checker.
  group: async (mutants: readonly Mutant[]): Promise<string[][]> => {
    sample = drawSample(mutants, Number(process.env.HAFT_MUTANTS_SAMPLE), process.cwd());
    return mutants.length === 0 ? [] : [mutants.map(({ id }) => id)];
  },
  check: async (mutants: readonly Mutant[]) => {
    if (sample === undefined) throw new Error("A sample is drawn with at most two workers.");
    const drawn = sample;
    const answer = ({ id }: Mutant) =>
      drawn.has(id) ? { status: "passed" } : { status: "compileError", reason: "not in the sample" };
    return Object.fromEntries(mutants.map((mutant) => [mutant.id, answer(mutant)]));
  },
};

export const strykerPlugins = [{ kind: "Checker", name: "sample", value: checker }];
