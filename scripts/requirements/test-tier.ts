import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import type { ProvingTest } from "../../test/requirements/requirement.ts";
import { type ActiveMutant, setActiveMutant } from "./mutant-plugin.ts";
import { titlePattern } from "./title-pattern.ts";

export interface TestResult extends ProvingTest {
  /** `missing`: no test of this title ran. `not loaded`: its file could not be imported. */
  readonly state: "passed" | "failed" | "missing" | "not loaded";
  /** The first line of the first error. */
  readonly message?: string | undefined;
}

/** One Vitest for all mutants: only the mutated module is transformed again. */
export interface TestTier {
  run(tests: readonly ProvingTest[], active?: ActiveMutant): Promise<readonly TestResult[]>;
  close(): Promise<void>;
}

export const openTier = async (root: string, config: string): Promise<TestTier> => {
  process.env.HAFT_REQUIREMENTS_CONFIG = pathToFileURL(join(root, config)).href;
  const vitest = await createVitest({
    root,
    config: join(import.meta.dirname, "vitest.config.ts"),
    watch: false,
    reporters: [{}],
    silent: true,
  });
  return {
    run: (tests, active) => runTests(vitest, root, tests, active),
    close: () => vitest.close(),
  };
};

const runTests = async (
  vitest: Vitest,
  root: string,
  tests: readonly ProvingTest[],
  active: ActiveMutant | undefined,
): Promise<readonly TestResult[]> => {
  const byFile = Map.groupBy(tests, ({ file }) => join(root, file));
  const found = await vitest.globTestSpecifications([...byFile.keys()]);
  const specifications = found.flatMap(({ moduleId, project }) => {
    const named = byFile.get(moduleId);
    if (named === undefined) return [];
    const testNamePattern = titlePattern(named.map(({ title }) => title));
    return [project.createSpecification(moduleId, { testNamePattern })];
  });
  setActiveMutant(active);
  if (active !== undefined) vitest.invalidateFile(join(root, active.path));
  try {
    const { testModules } = await vitest.runTestSpecifications(specifications);
    return tests.map((test) =>
      resultOf(
        test,
        testModules.find(({ moduleId }) => moduleId === join(root, test.file)),
      ),
    );
  } finally {
    setActiveMutant(undefined);
    if (active !== undefined) vitest.invalidateFile(join(root, active.path));
  }
};

const resultOf = (test: ProvingTest, module: TestModule | undefined): TestResult => {
  if (module === undefined) return { ...test, state: "missing" };
  const [notLoaded] = module.errors();
  if (notLoaded !== undefined) return { ...test, state: "not loaded", message: firstLine(notLoaded.message) };
  const pattern = titlePattern([test.title]);
  const results = [...module.children.allTests()]
    .filter(({ name }) => pattern.test(name))
    .map((each) => each.result());
  const failed = results.find(({ state }) => state === "failed");
  if (failed !== undefined)
    return { ...test, state: "failed", message: firstLine(failed.errors?.[0]?.message) };
  return { ...test, state: results.some(({ state }) => state === "passed") ? "passed" : "missing" };
};

const firstLine = (message: string | undefined): string | undefined => message?.split("\n")[0];
