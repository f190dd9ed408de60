import { join } from "node:path";
import { findMutated } from "../test/requirements/find-mutated.ts";
import type { Mutant } from "../test/requirements/mutant.ts";
import type { ProvingTest, Requirement } from "../test/requirements/requirement.ts";
import { requirements } from "../test/requirements.ts";
import { readFlags } from "./flags.ts";
import type { ActiveMutant } from "./requirements/mutant-plugin.ts";
import { openTier, type TestResult, type TestTier } from "./requirements/test-tier.ts";

/**
 * Checks the proofs in `test/requirements/`: `npm run requirements:mutants [-- S1.2 M.3 …]`. Each requirement
 * has a mutant, a change that breaks its promise, and a test of the requirement has to fail under it.
 */
const flags = readFlags({
  "--json": "print the results as JSON",
  "--list": "print the mutants without running tests",
  "--others": "also run the tests of all other requirements under each mutant, and count those that fail",
  "--verbose": "print the error of each test that failed",
  "--help": "this text; ids such as S1.2 or S4 limit the run to these requirements",
});

type MutantOutcome = "killed" | "survived" | "not loaded" | "does not apply";

interface MutantResult {
  readonly id: string;
  readonly outcome: MutantOutcome;
  readonly mutant: Mutant;
  readonly tests: readonly TestResult[];
  /** Other requirements whose tests fail under this mutant. */
  readonly others?: readonly string[];
}

type RequirementWithMutant = Requirement & { readonly mutant: Mutant };

const root = join(import.meta.dirname, "..");
const isJson = flags.has("--json");
const print = (line: string): void => {
  if (!isJson) console.log(line);
};
const progress = (line: string): void => console.error(line);

const matchesWord = (word: string, id: string): boolean => id === word || id.startsWith(`${word}.`);
const namedRequirements = process.argv.slice(2).filter((word) => !word.startsWith("-"));
const unknownRequirement = namedRequirements.find(
  (word) => !requirements.some(({ id }) => matchesWord(word, id)),
);
if (unknownRequirement !== undefined) {
  console.error(`Unknown requirement ${unknownRequirement}.`);
  process.exit(2);
}

const withMutant = requirements.filter((each): each is RequirementWithMutant => each.mutant !== undefined);
const chosen = withMutant.filter(
  ({ id }) => namedRequirements.length === 0 || namedRequirements.some((word) => matchesWord(word, id)),
);

if (flags.has("--list")) {
  if (isJson) console.log(JSON.stringify(chosen.map(({ id, mutant }) => ({ id, ...mutant }))));
  for (const { id, mutant } of chosen) print(`${id.padEnd(6)} ${mutant.export}: ${mutant.breaks}`);
  process.exit(0);
}

/**
 * Tests of the second tier start processes and servers. They run only if those of the first do not detect a
 * mutant.
 */
const configs = ["vitest.config.ts", "test/system/vitest.config.ts"] as const;
const tierOf = ({ file }: ProvingTest): 0 | 1 => (file.startsWith("test/system/") ? 1 : 0);
const tiers = new Map<number, Promise<TestTier>>();
const tierNamed = (number: 0 | 1): Promise<TestTier> => {
  const open = tiers.get(number) ?? openTier(root, configs[number]);
  tiers.set(number, open);
  return open;
};
const closeAll = async (): Promise<void> => {
  await Promise.allSettled([...tiers.values()].map(async (tier) => (await tier).close()));
};
process.once("SIGINT", () => void closeAll().finally(() => process.exit(130)));

const testsOf = (some: readonly Requirement[], number: 0 | 1): readonly ProvingTest[] => {
  const named = some.flatMap(({ tests = [] }) => tests).filter((test) => tierOf(test) === number);
  return [...new Map(named.map((test) => [`${test.file} ${test.title}`, test])).values()];
};

const nameOf = ({ file, title }: ProvingTest): string => `${file}: ${title}`;

/** Tests must pass without a mutant. */
const requireGreen = async (some: readonly Requirement[], number: 0 | 1): Promise<void> => {
  const tests = testsOf(some, number);
  progress(`${tests.length} tests without a mutant …`);
  const failed = (await (await tierNamed(number)).run(tests)).filter(({ state }) => state !== "passed");
  if (failed.length === 0) return;
  console.error("These tests do not pass without a mutant:");
  for (const test of failed) console.error(`  ${nameOf(test)} (${test.state}) ${test.message ?? ""}`);
  await closeAll();
  process.exit(1);
};

const outcomeOf = (tests: readonly TestResult[], isLoaded: boolean): MutantOutcome => {
  if (tests.some(({ state }) => state === "not loaded") || !isLoaded) return "not loaded";
  return tests.some(({ state }) => state === "failed") ? "killed" : "survived";
};

const runMutant = async (one: RequirementWithMutant, number: 0 | 1): Promise<MutantResult> => {
  const { id, mutant } = one;
  const [path, ...more] = findMutated(root, mutant);
  if (path === undefined || more.length > 0) return { id, mutant, outcome: "does not apply", tests: [] };
  const active = { mutant, path, isLoaded: false };
  const tests = await (await tierNamed(number)).run(testsOf([one], number), active);
  const result = { id, mutant, tests, outcome: outcomeOf(tests, active.isLoaded) };
  return flags.has("--others") && number === 0
    ? { ...result, others: await failingOthers(id, active) }
    : result;
};

/** Other requirements whose tests in the first tier fail under the mutant. Only files that load the mutated one run. */
const failingOthers = async (id: string, active: ActiveMutant): Promise<readonly string[]> => {
  const tier = await tierNamed(0);
  const importers = tier.importersOf(active.path);
  const others = withMutant.filter((other) => other.id !== id);
  const tests = testsOf(others, 0).filter(({ file }) => importers.has(file));
  const failed = (await tier.run(tests, active)).filter(({ state }) => state !== "passed");
  const names = new Set(failed.map(nameOf));
  return others.flatMap((other) =>
    (other.tests ?? []).some((test) => names.has(nameOf(test))) ? [other.id] : [],
  );
};

const describe = ({ id, outcome, tests, mutant, others }: MutantResult): string => {
  const failed = tests.filter(({ state }) => state === "failed").length;
  const counts = tests.length === 0 ? "" : `${failed} of ${tests.length}`;
  const elsewhere =
    others === undefined ? "" : `  ${others.length} other ids: ${others.join(" ")}\n${" ".repeat(40)}`;
  return `${id.padEnd(7)} ${outcome.padEnd(15)} ${counts.padEnd(15)} ${elsewhere}${mutant.breaks}`;
};

const report = ({ id, outcome, tests }: MutantResult): void => {
  progress(`${id} ${outcome}`);
  for (const test of tests) {
    if (test.state === "passed" || (test.state === "failed" && !flags.has("--verbose"))) continue;
    progress(`  ${test.state}: ${nameOf(test)}\n    ${test.message ?? ""}`);
  }
};

const started = performance.now();
const results = new Map<string, MutantResult>();
await requireGreen(flags.has("--others") ? withMutant : chosen, 0);
for (const one of chosen) {
  if (testsOf([one], 0).length === 0) continue;
  const result = await runMutant(one, 0);
  results.set(one.id, result);
  report(result);
}
const firstRoundSurvivors = chosen.filter(
  (one) => results.get(one.id)?.outcome !== "killed" && testsOf([one], 1).length > 0,
);
if (firstRoundSurvivors.length > 0) await requireGreen(firstRoundSurvivors, 1);
for (const one of firstRoundSurvivors) {
  const result = await runMutant(one, 1);
  results.set(one.id, result);
  report(result);
}
await closeAll();

const all = chosen.flatMap(({ id }) => results.get(id) ?? []);
const notKilled = all.filter(({ outcome }) => outcome !== "killed");
if (isJson) console.log(JSON.stringify(all, undefined, 2));
print(`\n${"id".padEnd(7)} ${"outcome".padEnd(15)} ${"tests that fail".padEnd(15)} mutant`);
for (const result of all) print(describe(result));
const seconds = Math.round((performance.now() - started) / 1_000);
print(`\n${all.length - notKilled.length} of ${all.length} mutants killed in ${seconds} s`);
if (notKilled.length > 0) print(`Not killed: ${notKilled.map(({ id }) => id).join(" ")}`);
process.exit(notKilled.length === 0 ? 0 : 1);
