import { readFlags } from "./flags.ts";
import {
  type MutantModuleResult,
  mutantTable,
  survivorLines,
  toMutantModuleResult,
} from "./mutants/module-result.ts";
import { type MutatedModule, mutatedModules } from "./mutants/mutated-modules.ts";
import { loadStryker } from "./mutants/stryker.ts";

/**
 * Mutation testing: `npm run mutants [-- module …]`. Changes the source at one place at a time, and a test
 * has to fail. Pipeline and policy are mutated completely, other modules by a seeded sample. A path
 * (`src/policy/decide-case.ts`) instead of a module mutates everything in it. String mutations are left out,
 * because nearly all are error messages.
 */
const minScore = 85;
const flags = readFlags({
  "--json": "print the result as JSON",
  "--one": "use one worker instead of two",
  "--help":
    "this text. Operands: modules or paths in them. The modules are call, policy, layers, agent, experiment, ledger",
});
const isJson = flags.has("--json");
const Stryker = await loadStryker();

interface MutantJob {
  readonly module: MutatedModule;
  readonly path: string;
  readonly sample?: number | undefined;
}

const toMutantJob = (word: string): MutantJob => {
  const named = mutatedModules.find(({ name, folder }) => word === name || word === folder);
  if (named !== undefined) return { module: named, path: named.folder, sample: named.sample };
  const module = mutatedModules.find(({ folder }) => word.startsWith(`${folder}/`));
  if (module !== undefined) return { module, path: word };
  console.error(
    `Unknown module "${word}". Use ${mutatedModules.map(({ name }) => name).join(", ")}, or a path in one of them.`,
  );
  process.exit(2);
};

const testMutants = async ({ module, path, sample }: MutantJob): Promise<MutantModuleResult> => {
  process.env.HAFT_MUTANTS_MODULE = module.name;
  process.env.HAFT_MUTANTS_SAMPLE = String(sample ?? "");
  const started = performance.now();
  const tested = await new Stryker({
    mutate: [
      /\.ts(:|$)/.test(path) ? path : `${path}/**/*.ts`,
      "!**/*.test.ts",
      ...(module.without === undefined ? [] : [`!${module.without}.ts`]),
    ],
    mutator: { excludedMutations: ["StringLiteral"] },
    testRunner: "vitest",
    vitest: { configFile: "scripts/mutants/vitest.config.ts", related: false },
    coverageAnalysis: "perTest",
    plugins: ["@stryker-mutator/vitest-runner", "./scripts/mutants/sample-checker.ts"],
    checkers: sample === undefined ? [] : ["sample"],
    concurrency: flags.has("--one") ? 1 : 2,
    // Generous, so that a busy machine does not count as a detected mutant.
    timeoutMS: 20_000,
    reporters: isJson ? [] : ["progress-append-only"],
    logLevel: "warn",
    // Stryker would rewrite the paths in this file with a TypeScript API that version 7 does not have.
    tsconfigFile: "no-such-tsconfig.json",
  }).runMutationTest();
  return toMutantModuleResult(path, tested, (performance.now() - started) / 1_000);
};

const namedModules = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const jobs = (namedModules.length === 0 ? mutatedModules.map(({ name }) => name) : namedModules).map(
  toMutantJob,
);
const results: MutantModuleResult[] = [];
for (const job of jobs) {
  if (!isJson)
    console.log(`${job.path}, ${job.sample === undefined ? "all mutants" : `${job.sample} mutants by seed`}`);
  results.push(await testMutants(job));
}
if (isJson) console.log(JSON.stringify({ bar: minScore, excluded: ["StringLiteral"], results }));
else {
  console.log(`\n${mutantTable(results)}\n\nWithout mutated strings. The bar is ${minScore} %.`);
  for (const { survivors } of results) if (survivors.length > 0) console.log(`\n${survivorLines(survivors)}`);
}
process.exit(results.every(({ score }) => score >= minScore) ? 0 : 1);
