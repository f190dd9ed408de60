import { drawSample, type Mutant } from "./sample.ts";

/**
 * A Stryker checker that lets only the sample through. Stryker knows no other way to leave out single mutants; what a
 * checker refuses counts as no valid mutant, so the score is the sample's.
 */
let sample: ReadonlySet<string> | undefined;

const checker = {
  init: async () => {},
  // Stryker hands over all mutants at once here, and calls `check` in the same process, there being one for two workers.
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
