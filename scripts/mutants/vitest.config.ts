import { matchesGlob, relative } from "node:path";
import { mergeConfig } from "vitest/config";
import { BaseSequencer, type TestSpecification } from "vitest/node";
import everyday from "../../vitest.config.ts";
import { mutatedModuleNamed } from "./mutated-modules.ts";

const { tests, without, testTimeoutMs = 5_000 } = mutatedModuleNamed(process.env.HAFT_MUTANTS_MODULE ?? "");

/** Runs test files in the order of the module's list. */
class ListedOrder extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const place = ({ moduleId }: TestSpecification) =>
      tests.findIndex((pattern) => matchesGlob(relative(process.cwd(), moduleId), pattern));
    return files.toSorted(
      (one, other) => place(one) - place(other) || (one.moduleId < other.moduleId ? -1 : 1),
    );
  }
}

// Not isolated: loading Effect for every file of every mutant would take most of the time.
const config = mergeConfig(everyday, {
  test: {
    setupFiles: ["scripts/mutants/load-module.ts"],
    testTimeout: testTimeoutMs,
    isolate: false,
    fileParallelism: false,
    sequence: { sequencer: ListedOrder },
  },
});
// The projects of the everyday configuration would override the module's list.
config.test.projects = undefined;
config.test.include = [...tests];
if (without !== undefined) config.test.exclude = [`${without}.test.ts`];
export default config;
