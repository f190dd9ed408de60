import type { Mutant } from "./mutant.ts";

/** A test by its file, from the project's root, and its title. */
export interface ProvingTest {
  readonly file: string;
  readonly title: string;
}

/** A benchmark that fails when the promise is broken: its file, and the npm script that CI runs. */
export interface ProvingBenchmark {
  readonly file: string;
  readonly script: string;
}

export type Proof =
  | {
      readonly status: "proven";
      readonly tests: readonly ProvingTest[];
      readonly benchmark?: ProvingBenchmark;
    }
  /** The reason names the capability that will bring the proof. */
  | {
      readonly status: "open";
      readonly reason: string;
      /** Tests that exist so far. */
      readonly tests?: readonly ProvingTest[];
    };

/** One promise of the system. Its id never changes. */
export type Requirement = {
  readonly id: string;
  readonly sentence: string;
  /** A change that breaks this promise. `npm run requirements:mutants` shows that the named tests fail under it. */
  readonly mutant?: Mutant;
} & Proof;
