import { join, relative } from "node:path";
import { pathToFileURL } from "node:url";
import { createVitest, type TestModule, type Vitest } from "vitest/node";
import type { ProvingTest } from "../../test/requirements/requirement.ts";
import { type ActiveMutant, setActiveMutant } from "./mutant-plugin.ts";
import { titlePattern } from "./title-pattern.ts";

export interface TestResult extends ProvingTest {
  /**
   * `timed out`: on a busy machine this says nothing about the code, so it does not count as a failure.
   * `missing`: no test of this title ran. `not loaded`: its file could not be imported.
   */
  readonly state: "passed" | "failed" | "timed out" | "missing" | "not loaded";
  /** The first line of the first error. */
  readonly message?: string | undefined;
}

/** One Vitest instance for all mutants: only the mutated module is transformed again. */
export interface TestTier {
  run(tests: readonly ProvingTest[], active?: ActiveMutant): Promise<readonly TestResult[]>;
  /** Loaded files, relative to the root, that import a file directly or indirectly. */
  importersOf(path: string): ReadonlySet<string>;
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
    importersOf: (path) => findImporters(vitest, root, path),
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

const findImporters = ({ projects }: Vitest, root: string, path: string): ReadonlySet<string> => {
  const found = new Set<string>();
  for (const { vite } of projects) {
    for (const { moduleGraph } of Object.values(vite.environments)) {
      const waiting = [...(moduleGraph.getModulesByFile(join(root, path)) ?? [])];
      const seen = new Set(waiting);
      for (let each = waiting.pop(); each !== undefined; each = waiting.pop()) {
        if (each.file !== null) found.add(relative(root, each.file).replaceAll("\\", "/"));
        for (const importer of each.importers) {
          if (!seen.has(importer)) waiting.push(importer);
          seen.add(importer);
        }
      }
    }
  }
  return found;
};

const resultOf = (test: ProvingTest, module: TestModule | undefined): TestResult => {
  if (module === undefined) return { ...test, state: "missing" };
  const [notLoaded] = module.errors();
  if (notLoaded !== undefined) return { ...test, state: "not loaded", message: firstLine(notLoaded.message) };
  const pattern = titlePattern([test.title]);
  const results = [...module.children.allTests()]
    .filter(({ name }) => pattern.test(name))
    .map((each) => each.result());
  const failures = results
    .filter(({ state }) => state === "failed")
    .map(({ errors }) => firstLine(errors?.[0]?.message));
  const failure = failures.find((message) => !message.startsWith("Test timed out"));
  if (failure !== undefined) return { ...test, state: "failed", message: failure };
  if (failures.length > 0) return { ...test, state: "timed out", message: failures[0] };
  return { ...test, state: results.some(({ state }) => state === "passed") ? "passed" : "missing" };
};

const firstLine = (message = ""): string => message.split("\n")[0] ?? "";
